import { bytesOf } from './byte-string.ts';
import { BLOCK_BYTES, CHECKSUM_AT, CHECKSUM_BYTES, checksumOf, NAME_BYTES } from './header.ts';
import { TarError } from './tar-error.ts';

export interface WrittenHeader {
  readonly kind: 'file' | 'symbolic-link';
  /** Printable ASCII without spaces, at most 100 bytes. Longer names need a PAX header, which is not written. */
  readonly name: string;
  /** Permissions. */
  readonly mode: number;
  /** Bytes of the body. */
  readonly size?: number;
  /** The target of a symbolic link, with the limits of the name. */
  readonly linkName?: string;
  /** Seconds since the Unix epoch. */
  readonly modifiedSeconds?: number;
}

const FLAGS = { file: '0', 'symbolic-link': '2' } as const;
const OCTAL_SIZE_MAX = 0o77777777777;

/**
 * Returns the header of an entry that belongs to root: POSIX.1-2017 "ustar Interchange Format". Files of 8 GiB and
 * more have GNU's binary size.
 *
 * @throws TarError for a name that does not fit.
 */
export function encodeHeader(header: WrittenHeader): Uint8Array {
  const { kind, name, mode, size = 0, linkName = '', modifiedSeconds = 0 } = header;
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (text: string, at: number): void => block.set(bytesOf(text), at);
  put(fitting(name), 0);
  put(octal(mode, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  putSize(block, size);
  put(octal(modifiedSeconds, 11), 136);
  put(FLAGS[kind], 156);
  if (kind === 'symbolic-link') put(fitting(linkName), 157);
  put('ustar\u000000', 257);
  put('root', 265);
  put('root', 297);
  put(`${octal(checksumOf(block), CHECKSUM_BYTES - 2)} `, CHECKSUM_AT);
  return block;
}

/** Returns how many zeros are between a body and the next header. */
export function paddingBytes(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** GNU's format for a size that does not fit: a set first bit, and the number in base 256. */
function putSize(block: Uint8Array, size: number): void {
  if (size <= OCTAL_SIZE_MAX) {
    block.set(bytesOf(octal(size, 11)), 124);
    return;
  }
  block[124] = 0x80;
  new DataView(block.buffer).setBigUint64(128, BigInt(size));
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, '0')}\0`;
}

function fitting(name: string): string {
  if (/^[\x21-\x7e]+$/.test(name) && name.length <= NAME_BYTES) return name;
  throw new TarError(`the name ${JSON.stringify(name)} must have 1 to ${NAME_BYTES} ASCII characters`);
}
