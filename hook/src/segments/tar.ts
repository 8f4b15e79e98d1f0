/**
 * Writes a tar archive (POSIX.1-2017, "ustar Interchange Format"). The same entries give the same bytes: names
 * are sorted, the owner is root, and times are `modifiedSeconds`.
 */
export type SegmentEntry =
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

const BLOCK_BYTES = 512;
/** Longer names need a prefix or a PAX header, and no file here has one. */
const NAME_MAX_BYTES = 100;
const FILE = '0';
const SYMBOLIC_LINK = '2';

/** @throws Error for a name that does not fit. */
export function encodeTar(entries: readonly SegmentEntry[], modifiedSeconds: number): Uint8Array {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const chunks = sorted.flatMap((entry) => {
    const content = entry.kind === 'file' ? entry.content : new Uint8Array();
    const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
    return [headerOf(entry, content.length, modifiedSeconds), content, padding];
  });
  return Buffer.concat([...chunks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function headerOf(entry: SegmentEntry, size: number, modifiedSeconds: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const isFile = entry.kind === 'file';
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  const fields: readonly (readonly [number, string])[] = [
    [0, named(entry.path)],
    [100, octal(isFile ? entry.mode : 0o777, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(size, 11)],
    [136, octal(modifiedSeconds, 11)],
    // The checksum counts its own field as spaces.
    [148, ' '.repeat(8)],
    [156, isFile ? FILE : SYMBOLIC_LINK],
    [157, isFile ? '' : named(entry.target)],
    [257, 'ustar\x0000'],
    [265, 'root'],
    [297, 'root'],
  ];
  for (const [offset, text] of fields) header.write(text, offset, 'latin1');
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${octal(checksum, 6)} `, 148, 'latin1');
  return header;
}

function named(path: string): string {
  if (/^[\x21-\x7e]+$/.test(path) && path.length <= NAME_MAX_BYTES) return path;
  throw new Error(`the name ${JSON.stringify(path)} must have 1 to ${NAME_MAX_BYTES} ASCII characters`);
}
