/** Detects other DHCP and PXE servers in the served networks, and logs them once an hour. */
import { CLIENT_PORT, clientMacOf, decodePacket, type DhcpPacket } from '@tinkerbell/dhcp';
import { foreignServerOf, type ForeignServer } from '@tinkerbell/netboot';
import { PlatformError, type LinkLayer, type LinkLayerSocket } from '@tinkerbell/platform-contract';
import type { BootConfig, BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { RateGate } from '../rate-gate.ts';

const HOUR_MS = 3_600_000;
/** Machines times servers. Forged packets must not fill the journal. */
const TOLD_GATE = { intervalMs: HOUR_MS, keysMax: 500 } as const;
/** The number of servers that `/metrics` lists. */
const LISTED_MAX = 16;
/** Detection is not urgent, and each poll wakes the process. */
const POLL_MS = 500;

interface Listed extends Pick<ForeignServer, 'address' | 'kind'> {
  readonly atMs: number;
}

export interface ForeignServers {
  /** A packet that another server must answer. */
  seen(packet: DhcpPacket): void;
  /** Listens on the named network interfaces. Without the right to listen, it only logs that. */
  start(): Promise<void>;
  stop(): void;
}

type ForeignMetrics = Pick<BootMetrics, 'dhcpForeignOffers' | 'dhcpForeignServer'>;
type Deps = Pick<BootDeps, 'clock' | 'journal' | 'log' | 'view' | 'linkLayer'>;

export function createForeignServers(
  deps: Deps,
  config: BootConfig,
  metrics: ForeignMetrics,
): ForeignServers {
  const { clock, linkLayer, log } = deps;
  const tell = teller(deps);
  const sockets: LinkLayerSocket[] = [];
  const listed = new Map<string, Listed>();
  metrics.dhcpForeignServer.from(() => {
    for (const [key, { atMs }] of listed) if (clock.monotonicMs() - atMs >= HOUR_MS) listed.delete(key);
    return [...listed.values()].map(({ address, kind }) => [{ address, kind }, 1] as const);
  });

  function seen(packet: DhcpPacket): void {
    const server = foreignServerOf(packet, config.netboot);
    if (server === undefined) return;
    metrics.dhcpForeignOffers.add({ kind: server.kind });
    const { address, kind } = server;
    const key = `${address} ${kind}`;
    if (listed.has(key) || listed.size < LISTED_MAX)
      listed.set(key, { address, kind, atMs: clock.monotonicMs() });
    tell(server, packet);
  }

  return {
    seen,
    async start() {
      if (linkLayer === undefined) return;
      for (const networkInterface of config.dhcp?.networkInterfaces ?? []) {
        const socket = await openOne({ linkLayer, log }, networkInterface, seen);
        if (socket !== undefined) sockets.push(socket);
      }
    },
    stop: () => sockets.splice(0).forEach((socket) => socket.close()),
  };
}

async function openOne(
  { linkLayer, log }: { readonly linkLayer: LinkLayer; readonly log: BootDeps['log'] },
  networkInterface: string,
  onReply: (packet: DhcpPacket) => void,
): Promise<LinkLayerSocket | undefined> {
  try {
    const options = { networkInterface, ports: [CLIENT_PORT], pollMs: POLL_MS };
    return await linkLayer.open(options, ({ bytes }) => {
      const decoded = decodePacket(bytes);
      if (decoded.ok && decoded.value.op === 'reply') onReply(decoded.value);
    });
  } catch (thrown) {
    if (!(thrown instanceof PlatformError)) throw thrown;
    log.info('offers of other DHCP servers are not watched', { networkInterface, error: thrown.message });
    return undefined;
  }
}

/** Writes a log line per hour for each server, and a line in the timeline of each registered machine that it concerns. */
function teller({ clock, journal, log, view }: Deps): (server: ForeignServer, packet: DhcpPacket) => void {
  const logGate = new RateGate(clock, TOLD_GATE);
  const timelineGate = new RateGate(clock, TOLD_GATE);
  return ({ address, kind, isExpected, message }, packet) => {
    const mac = clientMacOf(packet);
    if (logGate.passes(`${address} ${kind}`)) {
      const fields = { server: address, kind, mac, detail: message };
      if (isExpected) log.info('another DHCP server seen', fields);
      else log.warn('foreign DHCP or PXE server seen', fields);
    }
    // Any laptop gets offers, but only registered machines have a timeline.
    if (mac === undefined || view.hardwareByMac(mac).length === 0) return;
    if (!timelineGate.passes(`${address} ${kind} ${mac}`)) return;
    const details = { server: address, kind, expected: isExpected, offered: packet.yiaddr };
    journal.append({ source: 'dhcp', event: 'foreign-offer-seen', machine: mac, message, details });
  };
}
