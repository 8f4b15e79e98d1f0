import { messageType, type Dhcpv6Message } from '@tinkerbell/dhcpv6';
import type { NetbootClient, V6ReplyDecision } from '@tinkerbell/netboot';
import type { Datagram } from '@tinkerbell/platform-contract';
import type { DecodeFailure } from '@tinkerbell/wire';
import type { BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { RateGate } from '../rate-gate.ts';

/** The DHCPv6 listener's reports: metrics, debug log, and the timeline of the machine. */
export interface Dhcpv6Timeline {
  undecodable(datagram: Datagram, error: DecodeFailure): void;
  ignored(step: Dhcpv6Step & { readonly decision: Extract<V6ReplyDecision, { kind: 'ignore' }> }): void;
  replied(step: Dhcpv6Step & { readonly decision: Extract<V6ReplyDecision, { kind: 'reply' }> }): void;
}

interface Dhcpv6Step {
  readonly request: Dhcpv6Message;
  readonly client: NetbootClient;
}

/** As for DHCPv4: a client that gets no answer retries for hours, and forged MACs must not evict the records of all others. */
const IGNORED_GATE = { intervalMs: 60_000, keysMax: 256 } as const;
const REPLIED_GATE = { intervalMs: 1_000, keysMax: 2_000 } as const;

export function createDhcpv6Timeline(
  { log, journal, clock }: Pick<BootDeps, 'log' | 'journal' | 'clock'>,
  metrics: BootMetrics,
): Dhcpv6Timeline {
  const ignoredGate = new RateGate(clock, IGNORED_GATE);
  const repliedGate = new RateGate(clock, REPLIED_GATE);
  return {
    undecodable({ peer }, error) {
      const reason = `undecodable-${error.code}`;
      metrics.dhcpv6Ignored.add({ reason });
      log.debug('DHCPv6 message ignored', { peer: peer.address, reason, detail: error.message });
    },

    ignored({ request, client, decision: { reason, message } }) {
      const asked = nameOf(request.type);
      metrics.dhcpv6Ignored.add({ reason });
      log.debug('DHCPv6 message ignored', { mac: client.mac, asked, reason, detail: message });
      // Machines without Hardware that do not netboot are bystanders: IPv6 hosts send requests on every
      // network.
      const isBystander = reason === 'no-hardware' && !client.isNetbootClient;
      if (client.mac === undefined || isBystander || !ignoredGate.passes(`${client.mac} ${reason}`)) return;
      journal.append({
        source: 'dhcp',
        event: 'request-ignored',
        machine: client.mac,
        message: `DHCPv6 ${asked} ignored: ${message}`,
        details: { reason, version: 6 },
      });
    },

    replied({ request, client, decision }) {
      const { reply, noBoot } = decision;
      const [asked, sent] = [nameOf(request.type), nameOf(reply.type)];
      metrics.dhcpv6Sent.add({ type: sent });
      if (noBoot !== undefined) metrics.dhcpv6NoBootFile.add({ reason: noBoot });
      const { text, details } = contentsOf(decision);
      log.debug('DHCPv6 message answered', { mac: client.mac, asked, sent, ...details });
      if (client.mac === undefined || !repliedGate.passes(`${client.mac} ${asked}`)) return;
      journal.append({
        source: 'dhcp',
        event: reply.type === messageType.advertise ? 'advertise-sent' : 'reply-sent',
        machine: client.mac,
        message: `DHCPv6 ${asked}: ${sent}${text}`,
        details: { version: 6, ...details },
      });
    },
  };
}

/** Address and boot file of a reply, or why it has no boot file. */
function contentsOf({ reply, noBoot }: Extract<V6ReplyDecision, { kind: 'reply' }>) {
  const { bootFileUrl, identityAssociations = [] } = reply.options;
  const address = identityAssociations[0]?.addresses[0]?.address;
  const of = address === undefined ? '' : ` of ${address}`;
  const boot = bootFileUrl === undefined ? '' : `, boot file ${bootFileUrl}`;
  const none = noBoot === undefined ? '' : `, no boot file (${noBoot})`;
  return {
    text: of + boot + none,
    details: {
      ...(address === undefined ? {} : { address }),
      ...(bootFileUrl === undefined ? {} : { bootFile: bootFileUrl }),
      ...(noBoot === undefined ? {} : { reason: noBoot }),
    },
  };
}

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(messageType).map(([name, code]) => [
    code,
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  ]),
);

function nameOf(type: number): string {
  return names.get(type) ?? 'unknown';
}
