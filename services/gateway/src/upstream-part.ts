/**
 * Memory of a part of a response, which is returned as soon as the part is sent. The garbage collector frees large buffers late, and
 * the gaps between those that wait for clients would stay.
 */
const parts = new WeakSet<ArrayBufferLike>();

/** Returns a copy with its own memory. */
export function newPart(bytes: Uint8Array): Uint8Array {
  const buffer = new ArrayBuffer(bytes.length);
  parts.add(buffer);
  const part = Buffer.from(buffer);
  part.set(bytes);
  return part;
}

/**
 * Call it when `bytes`, of a part or of anything else, and everything before them are sent. A part whose last bytes they are is empty
 * afterwards.
 */
export function releasePart({ buffer, byteOffset, length }: Uint8Array): void {
  const isEnd = byteOffset + length === buffer.byteLength;
  if (isEnd && parts.has(buffer) && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
