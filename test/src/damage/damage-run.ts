/** Damages stores one after the other, opens each, and compares its content with what was acknowledged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { PlatformError } from '@tinkerbell/platform-contract';
import type { StoredObject } from '@tinkerbell/store-contract';
import { prepareJournal } from '@tinkerbell/store-journal';
import { prepareLeases, prepareSchema } from '@tinkerbell/store-sqlite';
import { acceptLoss } from '@tinkerbell/store-sqlite/integrity';
import { SeededChoice } from '../seeded-choice.ts';
import { damageFolder, sameFiles } from './damages.ts';
import {
  contentsOf,
  copyFolder,
  DATABASE,
  openAll,
  writeStore,
  type StoreContents,
  type WrittenStore,
} from './written-store.ts';

export interface DamageReport {
  readonly seed: number;
  readonly damages: number;
  /** The start was refused, with the place and the fix. */
  readonly refused: number;
  /**
   * The start succeeded, and everything that was acknowledged is there, because nothing depends on the
   * damaged byte.
   */
  readonly harmless: number;
  /** The damage, and what was silently lost or changed. */
  readonly silent: readonly string[];
}

export interface DamageOptions {
  readonly count: number;
  readonly seed: number;
  readonly onDamage?: (done: number, what: string) => void;
}

/** The number of damages that share a history, because writing one takes longer than damaging it. */
const DAMAGES_OF_A_STORE = 25;

export async function runDamages({ count, seed, onDamage }: DamageOptions): Promise<DamageReport> {
  const choice = new SeededChoice(seed);
  const root = mkdtempSync(join(tmpdir(), 'tinkerbell-damage-'));
  const silent: string[] = [];
  let [refused, harmless] = [0, 0];
  try {
    let written: WrittenStore | undefined;
    for (let done = 0; done < count; done += 1) {
      if (written === undefined || done % DAMAGES_OF_A_STORE === 0)
        written = await writeAnother(root, done, choice);
      const folder = join(root, 'damaged');
      const { what, verdict } = await damageOnce(written, folder, choice);
      if (verdict === 'refused') refused += 1;
      else if (verdict === 'harmless') harmless += 1;
      else silent.push(`${what}: ${verdict}`);
      onDamage?.(done + 1, what);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return { seed, damages: count, refused, harmless, silent };
}

function writeAnother(root: string, number: number, choice: SeededChoice): Promise<WrittenStore> {
  const writes = 30 + choice.below(250);
  return writeStore({
    folder: join(root, String(number)),
    choice,
    writes,
    bytesMax: choice.of([40, 600, 9000]),
  });
}

/** Opens a copy in `folder`, which is gone afterwards. */
export async function damageOnce(
  written: WrittenStore,
  folder: string,
  choice: SeededChoice,
): Promise<{ readonly what: string; readonly verdict: string }> {
  copyFolder(written.folder, folder);
  try {
    let what = '';
    while (sameFiles(written.folder, folder)) what = damageFolder(folder, written.olderFolder, choice);
    return { what, verdict: await verdictOf(written, folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns `refused`, `harmless`, or what is wrong. */
async function verdictOf({ contents }: WrittenStore, folder: string): Promise<string> {
  const path = join(folder, DATABASE);
  let open: ReturnType<typeof openAll>;
  try {
    open = openAll(path);
  } catch (thrown) {
    return refusal(thrown) ?? (await verdictOfLoss(contents, path));
  }
  try {
    const now = await contentsOf(open);
    for (const part of ['objects', 'changes', 'leases', 'records'] as const)
      if (!isDeepStrictEqual(now[part], contents[part]))
        return `${part} are not those that were acknowledged, and the start reported nothing`;
    return 'harmless';
  } finally {
    await open.close();
  }
}

/** Returns undefined when the message names a place and the fix. */
function refusal(thrown: unknown): string | undefined {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const isNamed = thrown instanceof PlatformError && thrown.code === 'damaged';
  if (isNamed && /is damaged: .+: .+--accept-loss/s.test(message)) return undefined;
  return `refused without a place and a fix: ${message}`;
}

/** After accepting the loss it starts, and everything that it has was once written. */
async function verdictOfLoss(contents: StoreContents, path: string): Promise<string> {
  const preparations = {
    store: (database: DatabaseSync) => prepareSchema(database, path),
    journal: prepareJournal,
    leases: prepareLeases,
  };
  const loss = acceptLoss({ path, preparations, now: new Date() });
  if (loss === undefined) return 'refused, and --accept-loss finds nothing';
  const open = openAll(path);
  try {
    const now = await contentsOf(open);
    const made = now.objects.filter((one) => !wasWritten(contents, one));
    if (made.length > 0) return `--accept-loss makes ${made.length} objects that nobody wrote`;
    const texts = new Set(contents.records.values());
    const records = [...now.records].filter(([, text]) => !texts.has(text));
    if (records.length > 0) return `--accept-loss makes ${records.length} records that nobody wrote`;
    const revision = await open.store.revision();
    const highest = Math.max(0, ...contents.changes.map((change) => change.revision));
    return revision > highest ? 'refused' : `--accept-loss goes back to revision ${revision} of ${highest}`;
  } finally {
    await open.close();
  }
}

function wasWritten({ changes }: StoreContents, { key, revision, object }: StoredObject): boolean {
  const change = changes.find((one) => one.revision === revision);
  return change !== undefined && isDeepStrictEqual([change.key, change.object], [key, object]);
}
