/** The two digits of each byte. */
export const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, value) =>
  value.toString(16).padStart(2, '0'),
);

/** Lower-case hexadecimal without separators. */
export function bytesToHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/**
 * Reads hexadecimal. White space and colons between bytes are allowed. Returns undefined for anything else.
 */
export function hexToBytes(text: string): Uint8Array | undefined {
  const digits = text.replaceAll(/[\s:]+/g, '');
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
  }
  return bytes;
}
