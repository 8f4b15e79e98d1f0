/**
 * Memory of file chunks that is returned as soon as they are sent. The garbage collector frees large buffers late: a server that
 * streams images at full speed would hold tens of megabytes of unused chunks. Only chunks made by `ownedChunk` are returned, so
 * that no other memory is reused while it is in use.
 */
const owned = new WeakSet<ArrayBufferLike>();

/** Returns a chunk with its own memory. */
export function ownedChunk(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(new ArrayBuffer(sizeBytes));
  owned.add(chunk.buffer);
  return chunk;
}

/** Returns the memory of an owned chunk, which is empty afterwards. */
export function releaseChunk(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (owned.has(buffer) && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
