/** Up to this size it is cheaper to copy bytes than to pass two pieces of memory to the kernel. */
const COPIED_BYTES_MAX = 16 * 1024;

/**
 * Returns the same bytes as a text in which each character is one byte (Latin-1), which Node sends in one piece with the head before it. Undefined
 * where that is not cheaper.
 */
export function oneByteText(content: string | Uint8Array<ArrayBuffer>): string | undefined {
  if (typeof content === 'string') return Buffer.byteLength(content) === content.length ? content : undefined;
  if (content.length > COPIED_BYTES_MAX) return undefined;
  return Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
}
