/** `--accept-loss` replaces a damaged database by its intact parts, and keeps the damaged one beside it. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { acknowledgedPath, openAcknowledged, readAcknowledged } from './acknowledged-file.ts';
import type { Damage } from './damage.ts';
import { guardedTables, parts, type GuardedTable } from './guarded-tables.ts';
import { salvage, writeSalvaged, type Preparations, type Salvaged } from './salvage.ts';
import { verifyDatabase, type Verification } from './verify.ts';

export interface Loss {
  /** The folder with the damaged files, unchanged, and this report as `lost.json`. */
  readonly folder: string;
  readonly damages: readonly Damage[];
  readonly tables: readonly {
    readonly table: GuardedTable;
    /** The number of lost records among those acknowledged last. Undefined when it is unknown. */
    readonly acknowledged: number | undefined;
    readonly kept: number;
  }[];
}

export interface AcceptLossOptions {
  readonly path: string;
  readonly preparations: Preparations;
  /** The time in the name of the folder with the damaged files. */
  readonly now: Date;
}

/**
 * The distance by which the store continues after the highest known revision, so that no revision is used
 * twice, not even one that was acknowledged and lost without a trace.
 */
const REVISIONS_SKIPPED = 10_000;

/** Returns undefined when nothing is damaged and nothing was done. Repeat it when it was interrupted. */
export function acceptLoss({ path, preparations, now }: AcceptLossOptions): Loss | undefined {
  const verification = verifyDatabase(path, { depth: 'full' });
  if (verification.damages.length === 0) return undefined;
  const folder = join(dirname(path), `damaged-${now.toISOString().replaceAll(':', '')}`);
  keepFiles(path, folder);
  const acknowledged = acknowledgedTallies(path);
  const salvaged = salvage(path, join(folder, 'work.db'));
  const known = Math.max(salvaged.version, ...[...acknowledged.values()].map(({ version }) => version));
  writeNew(path, { ...salvaged, version: known + REVISIONS_SKIPPED }, preparations);
  const loss = {
    folder,
    damages: verification.damages,
    tables: tablesOf(salvaged, verification, acknowledged),
  };
  writeFileSync(join(folder, 'lost.json'), `${JSON.stringify(loss, undefined, 2)}\n`, { mode: 0o600 });
  return loss;
}

function keepFiles(path: string, folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const file of [path, `${path}-wal`, acknowledgedPath(path)]) {
    if (!existsSync(file)) continue;
    const copy = join(folder, basename(file));
    copyFileSync(file, copy);
    syncFile(copy);
  }
  syncFile(folder);
}

type AcknowledgedTallies = ReadonlyMap<GuardedTable, { readonly version: number; readonly rows: number }>;

function acknowledgedTallies(path: string): AcknowledgedTallies {
  const all = parts.flatMap((part) => {
    const known = readAcknowledged(path, part);
    if (typeof known === 'string') return [];
    return guardedTables[part].map((table) => [table, known.tallies[table]] as const);
  });
  return new Map(all.flatMap(([table, tally]) => (tally === undefined ? [] : [[table, tally] as const])));
}

/** Replaces the damaged database once the new one is complete. */
function writeNew(path: string, salvaged: Salvaged, preparations: Preparations): void {
  const fresh = `${path}.salvaged`;
  for (const file of [fresh, `${fresh}-journal`, acknowledgedPath(fresh)]) rmSync(file, { force: true });
  {
    using database = new DatabaseSync(fresh);
    writeSalvaged(database, salvaged, preparations);
    for (const part of parts)
      void openAcknowledged(database, { path: fresh, part, prepare: () => undefined })?.close();
  }
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  renameSync(fresh, path);
  renameSync(acknowledgedPath(fresh), acknowledgedPath(path));
  syncFile(dirname(path));
}

function tablesOf(
  { rows }: Salvaged,
  { tallies }: Verification,
  acknowledged: AcknowledgedTallies,
): Loss['tables'] {
  return [...rows]
    .filter(([table]) => table !== 'changes')
    .map(([table, found]) => ({
      table,
      acknowledged: acknowledged.get(table)?.rows ?? tallies.get(table)?.rows,
      kept: found.size,
    }));
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
