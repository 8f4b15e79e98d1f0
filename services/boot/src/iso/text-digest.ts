import { bytesToHex, encodeUtf8 } from '@tinkerbell/wire';

/** Returns the first half of a text's SHA-256, as 32 hexadecimal digits, for things without a name of their own. */
export async function textDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(text).slice());
  return bytesToHex(new Uint8Array(digest)).slice(0, 32);
}
