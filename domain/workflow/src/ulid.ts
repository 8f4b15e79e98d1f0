/** The digits of Crockford's base 32. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * Returns a ULID of 26 characters: 48 bits of `nowMs`, then 80 bits from `random`, which returns at least 16
 * bytes.
 */
export function ulid(nowMs: number, random: Uint8Array): string {
  let text = '';
  let rest = nowMs;
  for (let index = 0; index < TIME_CHARACTERS; index++) {
    text = (alphabet[rest % 32] ?? '') + text;
    rest = Math.floor(rest / 32);
  }
  for (let index = 0; index < RANDOM_CHARACTERS; index++) text += alphabet[(random[index] ?? 0) % 32] ?? '';
  return text;
}
