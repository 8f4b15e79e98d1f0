import { statSync } from 'node:fs';
import type { Settings } from '../settings/settings.ts';

/** A file with about two thousand objects. */
const LITTLE_BYTES = 4_000_000;

/** True if the start may read so many objects that it is faster with V8's compilers. */
export function hasMuchToRead({ kind }: Pick<Settings['store'], 'kind'>, databasePath: string): boolean {
  if (kind !== 'sqlite') return kind !== 'memory';
  return sizeOf(databasePath) + sizeOf(`${databasePath}-wal`) > LITTLE_BYTES;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
