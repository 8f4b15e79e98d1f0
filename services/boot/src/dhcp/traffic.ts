/** DHCP messages by direction and type, under upstream's name. Plain numbers: this is counted for each packet. */
import { messageType } from '@tinkerbell/dhcp';

const TYPES_MAX = 9;
const names: readonly (readonly [type: number, name: string])[] = [
  [0, 'unknown'],
  [messageType.discover, 'DHCPDISCOVER'],
  [messageType.offer, 'DHCPOFFER'],
  [messageType.request, 'DHCPREQUEST'],
  [messageType.decline, 'DHCPDECLINE'],
  [messageType.acknowledge, 'DHCPACK'],
  [messageType.refuse, 'DHCPNAK'],
  [messageType.release, 'DHCPRELEASE'],
  [messageType.inform, 'DHCPINFORM'],
];

export class DhcpTraffic {
  readonly #received = new Float64Array(TYPES_MAX);
  readonly #sent = new Float64Array(TYPES_MAX);

  /** `type` is what option 53 says. */
  received(type: number | undefined): void {
    const index = indexOf(type);
    this.#received[index] = (this.#received[index] ?? 0) + 1;
  }

  sent(type: number | undefined): void {
    const index = indexOf(type);
    this.#sent[index] = (this.#sent[index] ?? 0) + 1;
  }

  /** By metric name with labels. */
  counters(): Readonly<Record<string, number>> {
    const counters: Record<string, number> = {};
    let lookups = 0;
    for (const [type, name] of names) {
      const received = this.#received[type] ?? 0;
      counters[`dhcp_total{op="recv",type="${name}"}`] = received;
      counters[`dhcp_total{op="send",type="${name}"}`] = this.#sent[type] ?? 0;
      lookups += received;
    }
    // Each packet that can be read is looked up by its MAC.
    counters['discover_total{from="dhcp"}'] = lookups;
    return counters;
  }
}

function indexOf(type: number | undefined): number {
  return type !== undefined && type < TYPES_MAX ? type : 0;
}
