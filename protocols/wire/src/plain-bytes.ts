/**
 * Returns the same memory as a plain Uint8Array. Node returns a Buffer, whose `slice` shares memory where that of a Uint8Array
 * copies. Data read from a packet would change when its buffer is used for the next one.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.constructor === Uint8Array) return bytes;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
