/** A smaller piece costs less than its release. */
const RELEASED_FROM_BYTES = 16 * 1024;

/**
 * Returns the memory of a piece of a body that nobody uses any more. The garbage collector frees large buffers late and many at a
 * time, which takes milliseconds under a load of large bodies. A piece that shares its memory stays.
 */
export function releasePiece({ buffer, byteLength }: Uint8Array): void {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isWhole && byteLength >= RELEASED_FROM_BYTES) buffer.transfer(0);
}
