/**
 * Counts DHCP messages by direction and type, under upstream's name. Counters are resolved once, because this runs for each
 * packet.
 */
import type { CounterChild } from '@tinkerbell/platform-metrics';
import type { BootMetrics } from '../metrics.ts';

type TrafficMetrics = Pick<BootMetrics, 'dhcpMessages' | 'hardwareLookups'>;

/** Types by the value of option 53 (RFC 2132 section 9.6). Any other value is unknown. */
const names = [
  'unknown',
  'DHCPDISCOVER',
  'DHCPOFFER',
  'DHCPREQUEST',
  'DHCPDECLINE',
  'DHCPACK',
  'DHCPNAK',
  'DHCPRELEASE',
  'DHCPINFORM',
] as const;

/** Counters show zero before the first packet, as upstream's do. */
export class DhcpTraffic {
  readonly #received: readonly CounterChild[];
  readonly #sent: readonly CounterChild[];
  readonly #lookups: CounterChild;

  constructor({ dhcpMessages, hardwareLookups }: TrafficMetrics) {
    const both = names.map((type) => ({
      received: dhcpMessages.with({ op: 'recv', type }),
      sent: dhcpMessages.with({ op: 'send', type }),
    }));
    this.#received = both.map(({ received }) => received);
    this.#sent = both.map(({ sent }) => sent);
    this.#lookups = hardwareLookups.with({ from: 'dhcp' });
  }

  /** `type` is the value of option 53. */
  received(type: number | undefined, count = 1): void {
    this.#received[indexOf(type)]?.add(count);
    // Each readable packet is looked up by its MAC.
    this.#lookups.add(count);
  }

  sent(type: number | undefined, count = 1): void {
    this.#sent[indexOf(type)]?.add(count);
  }
}

function indexOf(type: number | undefined): number {
  return type !== undefined && type < names.length ? type : 0;
}
