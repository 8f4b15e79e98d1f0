/**
 * Memory of file chunks, given back as soon as they are on the wire. The collector frees large buffers late: a server
 * that streams images at full speed would hold tens of megabytes of chunks that nobody reads any more. Only chunks that
 * were made by `ownedChunk` are given back, so that nothing else can lose its memory under its feet.
 */
const owned = new WeakSet<ArrayBufferLike>();

/** A chunk of its own memory. */
export function ownedChunk(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(new ArrayBuffer(sizeBytes));
  owned.add(chunk.buffer);
  return chunk;
}

/** Gives the memory back when the chunk is an owned one; it is empty from then on. */
export function releaseChunk(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (owned.has(buffer) && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
