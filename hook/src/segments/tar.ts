/**
 * Writes a tar archive. The same entries give the same bytes: names are sorted, the owner is root, and times are
 * `modifiedSeconds`.
 */
import { BLOCK_BYTES, encodeHeader, paddingBytes } from '@tinkerbell/tar';

export type SegmentEntry =
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** @throws TarError for a name that does not fit. */
export function encodeTar(entries: readonly SegmentEntry[], modifiedSeconds: number): Uint8Array {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const chunks = sorted.flatMap((entry) => {
    const content = entry.kind === 'file' ? entry.content : new Uint8Array();
    return [
      headerOf(entry, content.length, modifiedSeconds),
      content,
      Buffer.alloc(paddingBytes(content.length)),
    ];
  });
  return Buffer.concat([...chunks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function headerOf(entry: SegmentEntry, size: number, modifiedSeconds: number): Uint8Array {
  const { path: name } = entry;
  if (entry.kind === 'file')
    return encodeHeader({ kind: 'file', name, mode: entry.mode, size, modifiedSeconds });
  return encodeHeader({ kind: 'symbolic-link', name, mode: 0o777, linkName: entry.target, modifiedSeconds });
}
