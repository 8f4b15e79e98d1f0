/** Byte strings: one character per byte. They keep names that are not UTF-8, and binary attributes. */

const PIECE = 4096;

export function byteString(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}

/** Up to the first zero. */
export function fieldString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return byteString(end < 0 ? bytes : bytes.subarray(0, end));
}

export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
