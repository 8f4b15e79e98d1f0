/** Base64 with the alphabet for URLs, without padding (RFC 4648 section 5). */
const FORM = { alphabet: 'base64url', omitPadding: true } as const;

export function encodeBase64url(bytes: Uint8Array): string {
  return bytes.toBase64(FORM);
}

/** Returns undefined for any text that `encodeBase64url` does not write, so that the same bytes have exactly one text. */
export function decodeBase64url(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, FORM);
    return encodeBase64url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
