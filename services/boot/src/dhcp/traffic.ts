/** DHCP messages by direction and type, under upstream's name. Resolved once: this is counted for each packet. */
import type { CounterChild } from '@tinkerbell/platform-metrics';
import type { BootMetrics } from '../metrics.ts';

type TrafficMetrics = Pick<BootMetrics, 'dhcpMessages' | 'hardwareLookups'>;

/** By the value of option 53 (RFC 2132 section 9.6); what is none of them is unknown. */
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

/** Zeros before the first packet too, as upstream has them. */
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

  /** `type` is what option 53 says. */
  received(type: number | undefined): void {
    this.#received[indexOf(type)]?.add();
    // Each packet that can be read is looked up by its MAC.
    this.#lookups.add();
  }

  sent(type: number | undefined): void {
    this.#sent[indexOf(type)]?.add();
  }
}

function indexOf(type: number | undefined): number {
  return type !== undefined && type < names.length ? type : 0;
}
