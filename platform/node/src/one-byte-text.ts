import type { WholeResponse } from '@tinkerbell/platform-contract';

/** Up to this size it is cheaper to copy bytes than to pass two pieces of memory to the kernel. */
const COPIED_BYTES_MAX = 16 * 1024;

/**
 * Returns the bytes of a body as a text in which each character is one byte (Latin-1), which Node sends in one piece with the head before it. Undefined
 * where that is not cheaper.
 */
export function oneByteText({
  whole,
  byteLength,
}: Pick<WholeResponse, 'whole' | 'byteLength'>): string | undefined {
  if (typeof whole === 'string') return whole.length === byteLength ? whole : undefined;
  if (byteLength > COPIED_BYTES_MAX) return undefined;
  return Buffer.from(whole.buffer, whole.byteOffset, byteLength).toString('latin1');
}
