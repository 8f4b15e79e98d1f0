/** Decides what an entry of a tar archive is. The readings that tar-stream leaves to its users are here. */
import type { Headers } from 'tar-stream';

import { ActionError } from './action-error.ts';

export interface TarEntry {
  /** Below the target, without `.`, and empty for the target itself. Never has `..`. */
  readonly path: readonly string[];
  /** For messages. */
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'symlink' | 'character-device' | 'block-device' | 'fifo';
  /** With setuid, setgid and sticky. */
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  readonly modifiedSeconds: number;
  /** As text for a symlink, and a path as above for a hard link. */
  readonly linkName: string;
  readonly device: { readonly major: number; readonly minor: number };
  /** Names and values, for example `security.capability`. */
  readonly attributes: readonly (readonly [string, Uint8Array])[];
}

/** The types of tar-stream lack this. */
type PaxHeaders = Headers & { readonly pax?: Readonly<Record<string, string>> | null };

const PERMISSIONS = 0o7777;
const NAME_MAX = 255;
const PATH_MAX = 4096;
const ID_MAX = 4_294_967_294;
const ATTRIBUTE_PREFIX = 'SCHILY.xattr.';
const SPARSE_PREFIX = 'GNU.sparse.';
const KINDS = ['file', 'directory', 'link', 'symlink', 'character-device', 'block-device', 'fifo'] as const;

/** @throws ActionError for an entry that cannot be restored as it was, or leads out of the target. */
export function readTarEntry(header: PaxHeaders): TarEntry {
  const { name } = header;
  const pax = new Map(Object.entries(header.pax ?? {}));
  if ([...pax.keys()].some((key) => key.startsWith(SPARSE_PREFIX)))
    throw refused(name, 'is a sparse file: create the archive without --sparse');
  const kind = kindOf(header);
  return {
    path: tarPath(name),
    name,
    kind,
    mode: (header.mode ?? 0) & PERMISSIONS,
    // tar-stream applies only the path, the link and the size of a PAX header.
    owner: idOf(pax.get('uid') ?? header.uid, name),
    group: idOf(pax.get('gid') ?? header.gid, name),
    modifiedSeconds: secondsOf(pax.get('mtime') ?? (header.mtime?.getTime() ?? 0) / 1000),
    linkName: linkNameOf(header, kind),
    device: { major: header.devmajor ?? 0, minor: header.devminor ?? 0 },
    attributes: attributesOf(pax, name),
  };
}

function kindOf({ name, type }: Headers): TarEntry['kind'] {
  const kind = KINDS.find((one) => one === (type === 'contiguous-file' ? 'file' : type));
  if (kind !== undefined) return kind;
  throw refused(name, 'has an unknown type: create the archive with --format=pax');
}

function linkNameOf({ name, linkname }: Headers, kind: TarEntry['kind']): string {
  const target = linkname ?? '';
  if (target.includes('\0') || (kind === 'symlink' && (target === '' || target.length > PATH_MAX)))
    throw refused(name, 'has an invalid link target');
  return target;
}

/** Returns the elements of a path in an archive. A leading `/` has no meaning, as in tar(1). */
export function tarPath(name: string): readonly string[] {
  const path = name.split('/').filter((element) => element !== '' && element !== '.');
  if (path.includes('..')) throw refused(name, 'leads out of the target with ".."');
  const isLong = name.length > PATH_MAX || path.some((element) => Buffer.byteLength(element) > NAME_MAX);
  if (isLong) throw refused(`${name.slice(0, 100)}...`, 'is longer than Linux allows');
  if (name.includes('\0')) throw refused(name.replaceAll('\0', '?'), 'has a NUL in its name');
  return path;
}

function refused(name: string, reason: string): ActionError {
  return new ActionError(`the archive's entry ${JSON.stringify(name)} ${reason}`);
}

function idOf(value: string | number | undefined, name: string): number {
  const id = Number(value ?? 0);
  if (Number.isInteger(id) && id >= 0 && id <= ID_MAX) return id;
  throw refused(name, `has the owner ${value}, which Linux does not have`);
}

/** An unreadable time is that of the epoch, because nothing depends on it. */
function secondsOf(value: string | number): number {
  const seconds = Number(value);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), ID_MAX) : 0;
}

function attributesOf(
  pax: ReadonlyMap<string, string>,
  name: string,
): readonly (readonly [string, Uint8Array])[] {
  return [...pax].flatMap(([key, value]) => {
    if (!key.startsWith(ATTRIBUTE_PREFIX)) return [];
    const attribute = key.slice(ATTRIBUTE_PREFIX.length);
    // tar-stream reads values as UTF-8. Bytes that are not valid UTF-8 are lost then.
    if (value.includes('\ufffd'))
      throw refused(
        name,
        `has the attribute ${attribute}, whose value cannot be restored: set it with cexec`,
      );
    return [[attribute, Buffer.from(value)] as const];
  });
}
