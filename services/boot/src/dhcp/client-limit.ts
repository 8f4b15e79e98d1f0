import type { Clock } from '@tinkerbell/platform-contract';

/** True when the client that sent a DHCP packet may ask now; false when it asks too often. */
export type ClientLimit = (packet: Uint8Array) => boolean;

/** A boot chain asks eight times within seconds. A client in a loop must not take the time of all others. */
const REQUESTS_AT_ONCE = 20;
const REQUESTS_PER_SECOND = 10;
const INTERVAL_MS = 1000 / REQUESTS_PER_SECOND;
/**
 * Clients remembered. Each has one place, by a hash of its MAC, and two at the same place forget each other: a flood of
 * forged MACs costs no memory, and can only make the limit forget, never refuse an honest client.
 */
const PLACES = 16_384;
const HARDWARE_ADDRESS_OFFSET = 28;

/**
 * A token bucket for each MAC, read from the bytes of a packet before anything else is done with it. The bucket is kept as
 * the time at which it would be full again, which is all it takes (generic cell rate algorithm).
 */
export function createClientLimit(clock: Pick<Clock, 'monotonicMs'>): ClientLimit {
  const clients = new Float64Array(PLACES);
  const fullAtMs = new Float64Array(PLACES);
  return (packet) => {
    const client = macNumberOf(packet);
    const place = placeOf(client);
    const now = clock.monotonicMs();
    const fullAt = clients[place] === client ? Math.max(fullAtMs[place] ?? 0, now) : now;
    if (fullAt - now > (REQUESTS_AT_ONCE - 1) * INTERVAL_MS) return false;
    clients[place] = client;
    fullAtMs[place] = fullAt + INTERVAL_MS;
    return true;
  };
}

/** The first six bytes of chaddr as a number; those of a packet that is too short count as zero. */
function macNumberOf(packet: Uint8Array): number {
  let value = 0;
  for (let at = HARDWARE_ADDRESS_OFFSET; at < HARDWARE_ADDRESS_OFFSET + 6; at++) {
    value = value * 256 + (packet[at] ?? 0);
  }
  return value;
}

/** The MACs of a rack differ in few bits, so that all bits have to reach the low ones. */
function placeOf(client: number): number {
  const low = client >>> 0;
  const high = Math.floor(client / 0x1_0000_0000);
  const mixed = Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1);
  return (mixed >>> 18) & (PLACES - 1);
}
