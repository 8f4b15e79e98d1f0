import type { Hmac } from '@tinkerbell/platform-contract';

/**
 * Returns the headers that prove who sent a body and when: `x-tinkerbell-timestamp` in seconds since the Unix epoch, and
 * `x-tinkerbell-signature` with `sha256=` and the HMAC-SHA-256 in hexadecimal over the timestamp, a dot and the body.
 */
export function signatureHeaders(
  body: Uint8Array,
  {
    hmac,
    secret,
    nowMs,
  }: { readonly hmac: Hmac; readonly secret: Uint8Array | undefined; readonly nowMs: number },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  if (secret === undefined) return { 'x-tinkerbell-timestamp': timestamp };
  const head = new TextEncoder().encode(`${timestamp}.`);
  const signed = new Uint8Array([...head, ...body]);
  return {
    'x-tinkerbell-timestamp': timestamp,
    'x-tinkerbell-signature': `sha256=${hmac.hmacSha256(secret, signed).toHex()}`,
  };
}
