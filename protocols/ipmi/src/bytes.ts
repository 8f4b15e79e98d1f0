import type { ByteReader } from '@tinkerbell/wire';

/** IPMI sends numbers with their least significant byte first (section 2.1). RMCP and ASF do not. */
export function readUint16Le(reader: ByteReader, field: string): number {
  const value = reader.uint16(field);
  return ((value & 0xff) << 8) | (value >> 8);
}

export function readUint32Le(reader: ByteReader, field: string): number {
  const low = readUint16Le(reader, field);
  return readUint16Le(reader, field) * 0x1_0000 + low;
}

export function uint16Le(value: number): readonly [number, number] {
  return [value & 0xff, (value >> 8) & 0xff];
}

export function uint32Le(value: number): readonly [number, number, number, number] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];
}

export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Compares in a time that does not depend on where the bytes differ. Returns false for different lengths. */
export function areSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= (one[index] ?? 0) ^ (other[index] ?? 0);
  return difference === 0;
}
