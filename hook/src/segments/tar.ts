/**
 * Writes a tar archive. The same entries give the same bytes: names are sorted, files belong to root, and times are
 * `modifiedSeconds`.
 */
import { BLOCK_BYTES, encodeHeader, paddingBytes } from '@tinkerbell/tar';

export type SegmentEntry =
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** Layers of images have directories too. */
export type TarEntry =
  | SegmentEntry
  | {
      readonly kind: 'directory';
      readonly path: string;
      readonly mode: number;
      /** User and group (default: root). */
      readonly owner?: number;
    };

/** @throws TarError for a name that does not fit. */
export function encodeTar(entries: readonly TarEntry[], modifiedSeconds: number): Uint8Array {
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

function headerOf(entry: TarEntry, size: number, modifiedSeconds: number): Uint8Array {
  const { path: name } = entry;
  if (entry.kind === 'file')
    return encodeHeader({ kind: 'file', name, mode: entry.mode, size, modifiedSeconds });
  if (entry.kind === 'directory')
    return encodeHeader({
      kind: 'directory',
      name,
      mode: entry.mode,
      modifiedSeconds,
      owner: entry.owner ?? 0,
    });
  return encodeHeader({ kind: 'symbolic-link', name, mode: 0o777, linkName: entry.target, modifiedSeconds });
}
