/** Groups the observed replies by server. */
import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import { IPV4_ANY, networkAddress, prefixLengthOf } from '@tinkerbell/wire';
import type { Answer, Observation } from './observation.ts';

export interface FoundServer {
  /** The server identifier (option 54), else the source address of its replies. */
  readonly address: string;
  /** MACs on this link that delivered its replies: its own, or those of relays. */
  readonly macs: readonly string[];
  /** Addresses of the relays that forwarded its replies (giaddr). */
  readonly relays: readonly string[];
  readonly isTinkerbell: boolean;
  /** The offered address; undefined if it offers none. */
  readonly offer: Offer | undefined;
  /** The boot configuration that it sends to firmware, by probe. */
  readonly boots: readonly Boot[];
  /** True if it answered the probe on UDP 4011. */
  readonly answersOn4011: boolean;
}

export interface Offer {
  readonly address: string;
  /** `192.0.2.0/24`; undefined without a netmask. */
  readonly subnet: string | undefined;
  readonly gateways: readonly string[];
  readonly nameServers: readonly string[];
  readonly leaseSeconds: number | undefined;
  readonly domainName: string | undefined;
}

export interface Boot {
  readonly to: Answer['to'];
  /** `PXEClient` or `HTTPClient` (option 60), if sent. */
  readonly vendorClass: string | undefined;
  readonly file: string | undefined;
  readonly nextServer: string | undefined;
  /** Codes of its vendor options (43). */
  readonly vendorOptions: readonly number[];
}

export function serversIn({ answers }: Pick<Observation, 'answers'>): readonly FoundServer[] {
  const byAddress = Map.groupBy(
    answers.filter(({ packet }) => isOffer(packet)),
    ({ packet, from }) => packet.options.serverIdentifier ?? from,
  );
  return [...byAddress].map(([address, mine]) => ({
    address,
    macs: unique(mine.map(({ fromMac }) => fromMac)),
    relays: unique(mine.map(({ packet }) => packet.giaddr).filter((giaddr) => giaddr !== IPV4_ANY)),
    isTinkerbell: mine.some(({ packet }) => isOurs(packet)),
    offer: mine.map(({ packet }) => offerOf(packet)).find((offer) => offer !== undefined),
    boots: mine.map(bootOf).filter((boot) => boot !== undefined),
    answersOn4011: mine.some(({ to }) => to === 'boot-server'),
  }));
}

/** BOOTP servers send no message type. */
function isOffer({ options }: DhcpPacket): boolean {
  const type = options.messageType ?? messageType.offer;
  return type === messageType.offer || type === messageType.acknowledge;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/** Detects Tinkerbell by the trace in option 43.69 and the path of our binaries, which the first Tinkerbell also uses. */
const TRACE = { code: 69, bytes: 26 } as const;
const BINARY_PATH = '/ipxe/binary/';

function isOurs({ bootFile, options }: DhcpPacket): boolean {
  const traced = options.vendorSpecific?.some(
    ({ code, bytes }) => code === TRACE.code && bytes.length === TRACE.bytes,
  );
  return traced === true || `${bootFile} ${options.bootFileName ?? ''}`.includes(BINARY_PATH);
}

function offerOf({ yiaddr, options }: DhcpPacket): Offer | undefined {
  if (yiaddr === IPV4_ANY) return undefined;
  const { subnetMask: mask } = options;
  const prefix = mask === undefined ? undefined : prefixLengthOf(mask);
  return {
    address: yiaddr,
    subnet:
      mask === undefined || prefix === undefined ? undefined : `${networkAddress(yiaddr, mask)}/${prefix}`,
    gateways: options.routers ?? [],
    nameServers: options.domainNameServers ?? [],
    leaseSeconds: options.leaseTimeSeconds,
    domainName: options.domainName,
  };
}

/**
 * Returns undefined if the reply has no boot options. A next server alone does not count, because many routers always send
 * their own address.
 */
function bootOf({ to, packet }: Answer): Boot | undefined {
  const { options, siaddr, serverName } = packet;
  const file = packet.bootFile || options.bootFileName || undefined;
  const vendorClass = /^(PXE|HTTP)Client/.exec(options.vendorClassIdentifier ?? '')?.[0];
  if (file === undefined && vendorClass === undefined && to !== 'boot-server') return undefined;
  const named = siaddr === IPV4_ANY ? options.tftpServerName || serverName || undefined : siaddr;
  return {
    to,
    vendorClass,
    file,
    nextServer: named,
    vendorOptions: (options.vendorSpecific ?? []).map(({ code }) => code),
  };
}
