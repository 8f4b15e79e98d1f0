/** The parts of the tar format (POSIX.1-1988 "ustar") that archives of images have. */
export const TAR_BLOCK = 512;

export interface TarEntry {
  readonly name: string;
  readonly sizeBytes: number;
  /** `0` for a file, `5` for a folder, `x` for the attributes of the next entry. */
  readonly type: string;
}

/** Returns undefined for the block of zeros at the end. Throws an Error for what is not a header. */
export function readTarHeader(block: Uint8Array): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const stored = octalAt(block, [148, 8]);
  if (block.length < TAR_BLOCK || stored !== checksumOf(block)) throw new Error('is not a tar archive');
  const name = textAt(block, [0, 100]);
  const prefix = textAt(block, [257, 5]) === 'ustar' ? textAt(block, [345, 155]) : '';
  const type = textAt(block, [156, 1]);
  return {
    name: (prefix === '' ? name : `${prefix}/${name}`).replace(/^(?:\.\/)+/, ''),
    sizeBytes: sizeAt(block),
    type: type === '' ? '0' : type,
  };
}

/** The header of a file. `name` has at most 100 bytes of ASCII. */
export function tarHeader(name: string, sizeBytes: number): Uint8Array {
  const block = new Uint8Array(TAR_BLOCK);
  const put = (text: string, at: number): void => block.set(new TextEncoder().encode(text), at);
  put(name, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  putSize(block, sizeBytes);
  put('00000000000\0', 136);
  put('0', 156);
  put('ustar\u000000', 257);
  put(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** The zeros between the end of a file and the next header. */
export function tarPadding(sizeBytes: number): Uint8Array {
  return new Uint8Array((TAR_BLOCK - (sizeBytes % TAR_BLOCK)) % TAR_BLOCK);
}

const OCTAL_SIZE_MAX = 0o77777777777;

/** GNU's format for files of 8 GiB and more: a set first bit, and the number in base 256. */
function putSize(block: Uint8Array, sizeBytes: number): void {
  if (sizeBytes <= OCTAL_SIZE_MAX) {
    block.set(new TextEncoder().encode(`${sizeBytes.toString(8).padStart(11, '0')}\0`), 124);
    return;
  }
  block[124] = 0x80;
  new DataView(block.buffer).setBigUint64(128, BigInt(sizeBytes));
}

function sizeAt(block: Uint8Array): number {
  if (((block[124] ?? 0) & 0x80) === 0) return octalAt(block, [124, 12]);
  const size = Number(new DataView(block.buffer, block.byteOffset).getBigUint64(128));
  if (!Number.isSafeInteger(size)) throw new Error('has an entry of an impossible size');
  return size;
}

function octalAt(block: Uint8Array, place: readonly [number, number]): number {
  const text = textAt(block, place).trim();
  if (!/^[0-7]*$/.test(text)) throw new Error('is not a tar archive');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function textAt(block: Uint8Array, [start, length]: readonly [number, number]): string {
  const bytes = block.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return new TextDecoder('latin1').decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** The sum of all bytes, with blanks in place of the sum. */
function checksumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}
