/** Headers of files in a tar archive that this program writes (POSIX.1-1988 "ustar"). `@tinkerbell/tar` reads them. */
const TAR_BLOCK = 512;

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

/** The sum of all bytes, with blanks in place of the sum. */
function checksumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}
