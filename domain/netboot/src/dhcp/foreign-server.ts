import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import { IPV4_ANY, type Ipv4 } from '@tinkerbell/wire';
import type { NetbootSettings } from '../settings.ts';

/** Another server in a network that this one serves. */
export interface ForeignServer {
  readonly address: Ipv4;
  readonly kind: 'addresses' | 'booting';
  /** As it should be: a proxy is there because somebody else gives addresses. */
  readonly isExpected: boolean;
  readonly message: string;
}

/**
 * Who else serves, from a packet that passed: an OFFER or ACK, or a client's REQUEST that names its server. Undefined when it
 * tells of nobody, or of us. A boot file counts as booting with and without option 60: firmware takes both.
 */
export function foreignServerOf(
  packet: DhcpPacket,
  settings: Pick<NetbootSettings, 'mode' | 'serverAddress'>,
): ForeignServer | undefined {
  const { serverIdentifier: address } = packet.options;
  if (address === undefined || address === IPV4_ANY || address === settings.serverAddress) return undefined;
  const told = packet.op === 'request' ? chosen(packet, address) : offered(packet, address);
  if (told === undefined) return undefined;
  return { address, ...told, isExpected: told.kind === 'addresses' && settings.mode !== 'reservation' };
}

type Told = Pick<ForeignServer, 'kind' | 'message'>;

function chosen({ options }: DhcpPacket, address: Ipv4): Told | undefined {
  if (options.messageType !== messageType.request) return undefined;
  return { kind: 'addresses', message: `addresses come from ${address} too: the machine chose that server` };
}

function offered({ options, bootFile, yiaddr }: DhcpPacket, address: Ipv4): Told | undefined {
  const type = options.messageType;
  if (type !== messageType.offer && type !== messageType.acknowledge) return undefined;
  const file = bootFile || options.bootFileName || undefined;
  const isPxe = /^(PXE|HTTP)Client/.test(options.vendorClassIdentifier ?? '');
  if (file !== undefined || isPxe) {
    const what = file === undefined ? 'says that it boots machines' : `boots machines with ${file}`;
    return { kind: 'booting', message: `${address} ${what}: machines may boot from there` };
  }
  if (yiaddr === IPV4_ANY) return undefined;
  return { kind: 'addresses', message: `addresses come from ${address}: it offers ${yiaddr}` };
}
