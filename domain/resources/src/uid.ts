/**
 * Returns the `metadata.uid` of a new object: a random UUID, version 4 (RFC 9562 section 5.4), from 16 random
 * bytes.
 */
export function uidOf(random: Uint8Array): string {
  const [version, variant] = [((random[6] ?? 0) & 0x0f) | 0x40, ((random[8] ?? 0) & 0x3f) | 0x80];
  const bytes = random.with(6, version).with(8, variant);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
