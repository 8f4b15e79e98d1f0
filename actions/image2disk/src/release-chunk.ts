/**
 * Memory given back by hand. Left to the garbage collector, the chunks of an image make it mark everything a hundred
 * times: a third of the time it takes to write one.
 */

/** Gives back the whole buffer a chunk lies in: for its last user only. */
export function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Gives back a chunk that shares its buffer with nobody; another one stays. */
export function releaseChunk(chunk: Buffer): void {
  if (chunk.buffer.byteLength === chunk.byteLength) release(chunk);
}
