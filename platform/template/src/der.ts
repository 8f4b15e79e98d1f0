/** Distinguished encoding of ASN.1 (X.690): what X.509 certificates and DSA keys need of it. */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element: tag, length, content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Buffer.of(length);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

/** A non-negative integer of big-endian bytes. */
export function derInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.of(0) : bytes.subarray(start);
  const needsZero = (digits[0] ?? 0) >= 0x80;
  return der(TAG.integer, needsZero ? Buffer.of(0) : Buffer.alloc(0), digits);
}

/** An object identifier such as `2.5.4.3`. */
export function derOid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

/** A bit string of whole bytes. */
export function derBits(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return der(TAG.bitString, Buffer.of(unusedBits), bytes);
}

export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly whole: Uint8Array;
}

/** Reads the elements one after the other. Throws a RangeError when one is cut off. */
export function readDer(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const { start, length } = readLength(bytes, at + 1);
    if (start + length > bytes.length) throw new RangeError('ASN.1 element is cut off');
    elements.push({
      tag: bytes[at] ?? 0,
      content: bytes.subarray(start, start + length),
      whole: bytes.subarray(at, start + length),
    });
    at = start + length;
  }
  return elements;
}

function readLength(bytes: Uint8Array, at: number): { start: number; length: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { start: at + 1, length: first };
  const count = first & 0x7f;
  const length = bytes.subarray(at + 1, at + 1 + count).reduce((sum, byte) => sum * 256 + byte, 0);
  return { start: at + 1 + count, length };
}

/** The content of the n-th element inside a content. */
export function inside(bytes: Uint8Array, index: number): Uint8Array {
  const element = readDer(bytes)[index];
  if (element === undefined) throw new RangeError(`ASN.1 has no element ${index}`);
  return element.content;
}

/** PEM with lines of 64 letters. */
export function pemText(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** The first PEM block of a text. */
export function pemBlock(text: string): { label: string; bytes: Uint8Array } | undefined {
  const match = /-----BEGIN ([^\n-]+)-----\r?\n([A-Za-z0-9+/=\s]*?)\r?\n?-----END \1-----/.exec(text);
  if (match === null) return undefined;
  return { label: match[1] ?? '', bytes: Buffer.from(match[2] ?? '', 'base64') };
}
