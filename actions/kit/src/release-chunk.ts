/**
 * Releases memory manually. With the garbage collector alone, the chunks of an image cause a hundred
 * markings, which take a third of the time to write it.
 */

/** Releases the whole buffer of a chunk. Only its last user may call it. */
export function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Releases a chunk that has its own buffer. Any other chunk stays. */
export function releaseChunk(chunk: Buffer): void {
  if (chunk.buffer.byteLength === chunk.byteLength) release(chunk);
}
