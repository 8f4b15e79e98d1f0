/** Asks addresses for IPMI with the presence ping of ASF (IPMI 2.0, section 13.2.3). A BMC answers it without a login. */
import { decodeAsf, decodeRmcp, encodeAsf, encodeRmcp } from '@tinkerbell/ipmi';
import { delay, type Clock, type Udp } from '@tinkerbell/platform-contract';

export interface PingDeps {
  readonly udp: Udp;
  readonly clock: Clock;
}

export interface PingPlan {
  readonly addresses: readonly string[];
  readonly port: number;
  /** How long to wait after the last ping. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Few enough that a switch does not drop the requests for the addresses (ARP) of a whole range. */
const PINGS_AT_ONCE = 64;
const PAUSE_MS = 50;
/** Each address is asked this often, because datagrams get lost. */
const ROUNDS = 2;

/** Returns the addresses that answer and support IPMI. */
export async function pingIpmi({ udp, clock }: PingDeps, plan: PingPlan): Promise<ReadonlySet<string>> {
  const { addresses, port, waitMs, signal } = plan;
  const asked = new Set(addresses);
  const found = new Set<string>();
  await using socket = await udp.open(
    { port: 0 },
    {
      onDatagram: ({ bytes, peer }) => {
        if (peer.port === port && asked.has(peer.address) && hasIpmi(bytes)) found.add(peer.address);
      },
      // For example no route to one of the addresses: there is no BMC.
      onError: () => undefined,
    },
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const ping = encodeRmcp({ messageClass: 'asf', body: encodeAsf({ kind: 'ping', tag: round }) });
    for (const [index, address] of addresses.entries()) {
      if (found.has(address)) continue;
      socket.send(ping, { address, port });
      if (index % PINGS_AT_ONCE === PINGS_AT_ONCE - 1) await delay(clock, PAUSE_MS, signal);
    }
    await delay(clock, waitMs / ROUNDS, signal);
  }
  return found;
}

function hasIpmi(bytes: Uint8Array): boolean {
  const packet = decodeRmcp(bytes);
  if (!packet.ok || packet.value.messageClass !== 'asf') return false;
  const message = decodeAsf(packet.value.body);
  return message.ok && message.value.kind === 'pong' && message.value.supportsIpmi;
}
