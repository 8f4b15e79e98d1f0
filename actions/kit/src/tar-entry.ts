/** Decides whether and where an entry of a tar archive may be restored. */
import type { TarEntry, TarType } from '@tinkerbell/tar';

import { ActionError } from './action-error.ts';

export interface FileEntry {
  /** Below the target, without `.`, and empty for the target itself. Never has `..`. */
  readonly path: readonly string[];
  /** For messages. */
  readonly name: string;
  readonly kind: TarType;
  /** With setuid, setgid and sticky. */
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  readonly modifiedSeconds: number;
  /** As it is in the archive. */
  readonly linkName: string;
  readonly device: { readonly major: number; readonly minor: number };
  /** With holes. */
  readonly sizeBytes: number;
  /** Names and values, for example `security.capability`. Names are byte strings. */
  readonly attributes: readonly (readonly [string, Uint8Array])[];
}

const NAME_MAX = 255;
const PATH_MAX = 4096;
const ID_MAX = 4_294_967_294;

/** @throws ActionError for an entry that cannot be restored as it was, or leads out of the target. */
export function readTarEntry(entry: Omit<TarEntry, 'body'>): FileEntry {
  const name = textOf(entry.name);
  return {
    path: tarPath(name),
    name,
    kind: entry.type,
    mode: entry.mode,
    owner: idOf(entry.userId, name),
    group: idOf(entry.groupId, name),
    modifiedSeconds: Math.min(Math.max(entry.modifiedSeconds, 0), ID_MAX),
    linkName: linkNameOf(entry, name),
    device: { major: entry.deviceMajor, minor: entry.deviceMinor },
    sizeBytes: entry.size,
    attributes: [...entry.attributes].map(([key, value]) => [key, Buffer.from(value, 'latin1')] as const),
  };
}

/** Programs and Node's functions get paths as UTF-8, so that other names would change. */
function textOf(byteString: string): string {
  const bytes = Buffer.from(byteString, 'latin1');
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return text;
  throw refused(text, 'has a name that is not UTF-8: rename it, or unpack the archive with cexec');
}

function linkNameOf({ type, linkName }: Pick<TarEntry, 'type' | 'linkName'>, name: string): string {
  if (type !== 'hard-link' && type !== 'symbolic-link') return '';
  const target = textOf(linkName);
  const isTooLong = Buffer.byteLength(target) > PATH_MAX;
  if (target.includes('\0') || (type === 'symbolic-link' && (target === '' || isTooLong)))
    throw refused(name, 'has an invalid link target');
  return target;
}

/** Returns the elements of a path in an archive. A leading `/` has no meaning, as in tar(1). */
export function tarPath(name: string): readonly string[] {
  const path = name.split('/').filter((element) => element !== '' && element !== '.');
  if (path.includes('..')) throw refused(name, 'leads out of the target with ".."');
  const isLong =
    Buffer.byteLength(name) > PATH_MAX || path.some((element) => Buffer.byteLength(element) > NAME_MAX);
  if (isLong) throw refused(`${name.slice(0, 100)}...`, 'is longer than Linux allows');
  if (name.includes('\0')) throw refused(name.replaceAll('\0', '?'), 'has a NUL in its name');
  return path;
}

function refused(name: string, reason: string): ActionError {
  return new ActionError(`the archive's entry ${JSON.stringify(name.slice(0, 200))} ${reason}`);
}

function idOf(id: number, name: string): number {
  if (id >= 0 && id <= ID_MAX) return id;
  throw refused(name, `has the owner ${id}, which Linux does not have`);
}
