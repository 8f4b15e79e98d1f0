import { bytesOf } from './byte-string.ts';
import { BLOCK_BYTES, CHECKSUM_AT, CHECKSUM_BYTES, checksumOf, NAME_BYTES } from './header.ts';
import { TarError } from './tar-error.ts';

export interface WrittenHeader {
  readonly kind: 'file' | 'symbolic-link' | 'directory';
  /**
   * Printable ASCII without spaces, at most 100 bytes, or 155 bytes more before a slash in front of them. Longer names need a PAX
   * header, which is not written. The name of a directory gets a slash.
   */
  readonly name: string;
  /** User and group (default: root). */
  readonly owner?: number;
  /** Permissions. */
  readonly mode: number;
  /** Bytes of the body. */
  readonly size?: number;
  /** The target of a symbolic link, with the limits of the name. */
  readonly linkName?: string;
  /** Seconds since the Unix epoch. */
  readonly modifiedSeconds?: number;
}

const FLAGS = { file: '0', 'symbolic-link': '2', directory: '5' } as const;
const PREFIX_BYTES = 155;
const OCTAL_SIZE_MAX = 0o77777777777;

/**
 * Returns the header of an entry: POSIX.1-2017 "ustar Interchange Format". Files of 8 GiB and
 * more have GNU's binary size.
 *
 * @throws TarError for a name that does not fit.
 */
export function encodeHeader(header: WrittenHeader): Uint8Array {
  const { kind, mode, size = 0, linkName = '', modifiedSeconds = 0, owner = 0 } = header;
  const { prefix, name } = splitName(
    kind === 'directory' && header.name !== '' ? `${header.name}/` : header.name,
  );
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (text: string, at: number): void => block.set(bytesOf(text), at);
  put(name, 0);
  put(octal(mode, 7), 100);
  put(octal(owner, 7), 108);
  put(octal(owner, 7), 116);
  putSize(block, size);
  put(octal(modifiedSeconds, 11), 136);
  put(FLAGS[kind], 156);
  if (kind === 'symbolic-link') put(fitting(linkName), 157);
  put('ustar\u000000', 257);
  if (owner === 0) {
    put('root', 265);
    put('root', 297);
  }
  put(prefix, 345);
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

/** A long name is split at a slash, which is in neither part. */
function splitName(whole: string): { readonly prefix: string; readonly name: string } {
  if (whole.length <= NAME_BYTES || whole.startsWith('/')) return { prefix: '', name: fitting(whole) };
  const at = whole.indexOf('/', whole.length - NAME_BYTES - 1);
  const prefix = whole.slice(0, Math.max(0, at));
  if (prefix === '' || prefix.length > PREFIX_BYTES || at === whole.length - 1)
    return { prefix: '', name: fitting(whole) };
  return { prefix: fitting(prefix, PREFIX_BYTES), name: fitting(whole.slice(at + 1)) };
}

function fitting(name: string, bytesMax: number = NAME_BYTES): string {
  if (/^[\x21-\x7e]+$/.test(name) && name.length <= bytesMax) return name;
  throw new TarError(`the name ${JSON.stringify(name)} must have 1 to ${NAME_BYTES} ASCII characters`);
}
