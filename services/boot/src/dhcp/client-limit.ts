import type { Clock } from '@tinkerbell/platform-contract';

/** Returns true when the client that sent a DHCP packet may be served now, and false when it sends too often. */
export type ClientLimit = (packet: Uint8Array) => boolean;

/** A boot chain sends eight requests within seconds. A client in a loop must not use the time of all others. */
const REQUESTS_AT_ONCE = 20;
const REQUESTS_PER_SECOND = 10;
const INTERVAL_MS = 1000 / REQUESTS_PER_SECOND;
/**
 * The number of remembered clients. Each has one slot, chosen by a hash of its MAC, and two in the same slot replace each other.
 * A flood of forged MACs costs no memory, and can only make the limit forget, never reject an honest client.
 */
export const CLIENT_PLACES = 16_384;
/** Of chaddr in a packet, RFC 2131 section 2. */
export const HARDWARE_ADDRESS_OFFSET = 28;

/**
 * A token bucket for each MAC, read from the packet before any other processing. The bucket is stored as the time at which it
 * would be full again, which is sufficient (generic cell rate algorithm).
 */
export function createClientLimit(clock: Pick<Clock, 'monotonicMs'>): ClientLimit {
  const clients = new Float64Array(CLIENT_PLACES);
  const fullAtMs = new Float64Array(CLIENT_PLACES);
  return (packet) => {
    const client = macNumberAt(packet, HARDWARE_ADDRESS_OFFSET);
    const place = placeOf(client);
    const now = clock.monotonicMs();
    const fullAt = clients[place] === client ? Math.max(fullAtMs[place] ?? 0, now) : now;
    if (fullAt - now > (REQUESTS_AT_ONCE - 1) * INTERVAL_MS) return false;
    clients[place] = client;
    fullAtMs[place] = fullAt + INTERVAL_MS;
    return true;
  };
}

/** Returns six bytes as a number. Missing bytes of a short packet count as zero. */
export function macNumberAt(bytes: Uint8Array, offset: number): number {
  let value = 0;
  for (let at = offset; at < offset + 6; at++) value = value * 256 + (bytes[at] ?? 0);
  return value;
}

/** The MACs of a rack differ in few bits, so all bits must affect the low ones. */
export function placeOf(client: number): number {
  const low = client >>> 0;
  const high = Math.floor(client / 0x1_0000_0000);
  const mixed = Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1);
  return (mixed >>> 18) & (CLIENT_PLACES - 1);
}
