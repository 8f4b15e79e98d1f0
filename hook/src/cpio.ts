/**
 * Writes the "newc" cpio format that the Linux kernel unpacks as its first root file system
 * (Documentation/driver-api/early-userspace/buffer-format.rst). The same entries give the same bytes: names
 * are sorted, the owner is root, times are `modifiedSeconds`, and inode numbers count up.
 */

export type CpioEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'character-device';
      readonly path: string;
      readonly mode: number;
      readonly major: number;
      readonly minor: number;
    };

const FILE_TYPE = {
  directory: 0o040000,
  file: 0o100000,
  link: 0o120000,
  'character-device': 0o020000,
} as const;

const TRAILER = 'TRAILER!!!';

/** Returns an archive of `entries` and of the directories above them. */
export function encodeCpio(entries: readonly CpioEntry[], modifiedSeconds: number): Uint8Array {
  const chunks: Buffer[] = [];
  const sorted = [...withParents(entries)].sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const [index, entry] of sorted.entries()) {
    appendRecord(chunks, entry, { inode: index + 1, modifiedSeconds });
  }
  const end: CpioEntry = { kind: 'file', path: TRAILER, mode: 0, content: new Uint8Array() };
  appendRecord(chunks, end, { inode: 0, modifiedSeconds: 0 });
  return Buffer.concat(chunks);
}

interface Directory {
  readonly kind: 'directory';
  readonly path: string;
  readonly mode: number;
}

/** Adds the directories above the entries. */
export function withParents<Entry extends { readonly path: string }>(
  entries: readonly Entry[],
): readonly (Entry | Directory)[] {
  const all = new Map<string, Entry | Directory>();
  for (const entry of entries) {
    const parts = entry.path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const path = parts.slice(0, depth).join('/');
      if (!all.has(path)) all.set(path, { kind: 'directory', path, mode: 0o755 });
    }
    all.set(entry.path, entry);
  }
  return [...all.values()];
}

function appendRecord(
  chunks: Buffer[],
  entry: CpioEntry,
  place: { readonly inode: number; readonly modifiedSeconds: number },
): void {
  const body = bodyOf(entry);
  const name = Buffer.from(`${entry.path}\0`);
  const isTrailer = entry.path === TRAILER;
  const device = entry.kind === 'character-device' ? entry : { major: 0, minor: 0 };
  const mode = entry.kind === 'link' ? 0o777 : entry.mode;
  const fields = [
    place.inode,
    isTrailer ? 0 : FILE_TYPE[entry.kind] | mode,
    0, // owner
    0, // group
    entry.kind === 'directory' ? 2 : 1,
    place.modifiedSeconds,
    body.length,
    0, // device of the archive, major and minor
    0,
    device.major,
    device.minor,
    name.length,
    0, // checksum: unused in this variant
  ];
  const header = Buffer.from(`070701${fields.map(hex8).join('')}`);
  chunks.push(header, name, padding(header.length + name.length), Buffer.from(body), padding(body.length));
}

function bodyOf(entry: CpioEntry): Uint8Array {
  if (entry.kind === 'file') return entry.content;
  if (entry.kind === 'link') return Buffer.from(entry.target);
  return new Uint8Array();
}

function hex8(value: number): string {
  return value.toString(16).padStart(8, '0');
}

function padding(length: number): Buffer {
  return Buffer.alloc((4 - (length % 4)) % 4);
}
