/**
 * Copies everything in one store into an empty one. Each step can be repeated: an interrupted run leaves a marker in the target,
 * and the next run with the same source checks the existing objects and copies the rest. At the end, both sides are read
 * completely and compared. No other process may write to either store meanwhile. The transfer detects such a write and refuses to
 * complete.
 */
import type { StoredObject } from '@tinkerbell/store-contract';
import { copyCollection } from './copy-objects.ts';
import { copyLeases, copyRecords, countRecords } from './copy-records.ts';
import { readMarker, removeMarker, writeMarker, type Marker } from './marker.ts';
import { collectionsToCopy, scan, secretsNamed, type Scan } from './scan.ts';
import type { TransferPlace, TransferReport } from './transfer-place.ts';
import { TransferRefusal } from './transfer-refusal.ts';

export interface TransferOptions {
  readonly from: TransferPlace;
  readonly to: TransferPlace;
  /** Reports what would be done, and writes nothing. */
  readonly isDryRun?: boolean;
  /** Also transfers while agents are performing actions. Their attempts continue and are reported to the new server. */
  readonly isWhileRunning?: boolean;
  /** Ends the transfer between two writes. Another run resumes it. */
  readonly signal?: AbortSignal;
  /** `step` is a collection, `records` or `leases`. */
  readonly onProgress?: (step: string, done: number, total: number) => void;
}

/** Rejects with a TransferRefusal when nothing may be copied, or when the copy differs. */
export async function transfer(options: TransferOptions): Promise<TransferReport> {
  const { from, to, isDryRun = false } = options;
  const collections = await collectionsToCopy(from, to);
  const isCluster = from.isCluster === true || to.isCluster === true;
  const named = isCluster ? await secretsNamed(from.store) : new Set<string>();
  const isOurs = ({ key }: StoredObject): boolean =>
    !isCluster || key.collection !== 'secrets' || named.has(`${key.namespace}/${key.name}`);
  const view = { isCluster, isOurs };
  const revision = await from.store.revision();
  const source = await scan(from, collections, view);
  const marker = await allowed(options, source, { collections, revision });
  const records = await countRecords(from);
  const report = { from: from.name, to: to.name, isDryRun, isResumed: marker !== undefined, ...source };
  const objects = source.kinds.reduce((sum, { count }) => sum + count, 0);
  const leases = (await from.leases?.load())?.length;
  const kept = to.journal === undefined ? {} : { records, leases };
  const summary = { ...report, objects, records: undefined, leases: undefined, ...kept };
  if (isDryRun) return summary;
  const begun = marker ?? {
    source: from.name,
    revision: revisionMark(from, revision),
    timeline: 0,
    output: 0,
  };
  if (marker === undefined) await writeMarker(to.store, begun);
  await copy(options, { source, isOurs, begun, records: records ?? 0 });
  await verify(options, { source, collections, view, records, revision });
  await removeMarker(to.store);
  return summary;
}

interface CopyWork {
  readonly source: Scan;
  readonly isOurs: (stored: StoredObject) => boolean;
  readonly begun: Marker;
  readonly records: number;
}

async function copy(options: TransferOptions, { source, isOurs, begun, records }: CopyWork): Promise<void> {
  const { from, to } = options;
  const uids = new Map<string, string>();
  for (const { collection, count } of source.kinds) {
    const onCopied = counter(options, collection, count);
    await copyCollection(collection, { from, to, isOurs, uids, onCopied });
  }
  await copyRecords(from, to, {
    position: begun,
    note: (position) => writeMarker(to.store, { ...begun, ...position }),
    onCopied: counter(options, 'records', records),
  });
  const leases = await copyLeases(from, to);
  counter(options, 'leases', leases ?? 0)(leases ?? 0);
}

/** Adds up the counts, reports progress, and ends the run when it was interrupted. */
function counter({ onProgress, signal }: TransferOptions, step: string, total: number) {
  let done = 0;
  return (count: number): void => {
    done += count;
    onProgress?.(step, Math.min(done, total), total);
    if (signal?.aborted === true)
      throw new TransferRefusal('interrupted', 'run the same command again; it resumes where it stopped');
  };
}

/** Returns the marker of the run that this run resumes. Throws when nothing may be copied. */
async function allowed(
  { from, to, isWhileRunning = false }: TransferOptions,
  { running, kinds }: Scan,
  { collections, revision }: { readonly collections: readonly string[]; readonly revision: number },
): Promise<Marker | undefined> {
  if ((await readMarker(from.store)) !== undefined)
    throw new TransferRefusal(
      `${from.name} is itself the target of a migration that has not ended`,
      'run that one again first',
    );
  if (kinds.length === 0)
    throw new TransferRefusal(`there is nothing in ${from.name}`, 'check the address or folder after --from');
  if (running.length > 0 && !isWhileRunning)
    throw new TransferRefusal(
      `agents are performing actions: ${someOf(running)}`,
      'wait until they end, or transfer anyway with --while-running: the attempts continue, and agents report them to the new server',
    );
  const marker = await readMarker(to.store);
  if (marker === undefined) await refuseFull(to, collections);
  else refuseOther(marker, { from, to, revision });
  return marker;
}

function refuseOther(
  marker: Marker,
  { from, to, revision }: { from: TransferPlace; to: TransferPlace; revision: number },
): void {
  if (marker.source !== from.name)
    throw new TransferRefusal(
      `${to.name} has part of a migration from ${marker.source}`,
      'continue with that one, or empty the target',
    );
  if (marker.revision !== revisionMark(from, revision))
    throw new TransferRefusal(
      `${from.name} was written since the migration began`,
      'empty the target and start again, with no server on the source',
    );
}

async function refuseFull(to: TransferPlace, collections: readonly string[]): Promise<void> {
  const ours = to.isCluster === true ? collections.filter((one) => one !== 'secrets') : collections;
  for (const collection of ours) {
    const { items } = await to.store.list({ collection, limit: 1 });
    const key = items[0]?.key;
    if (key === undefined) continue;
    throw new TransferRefusal(
      `${to.name} is not empty: it has ${collection} ${key.namespace}/${key.name}`,
      'use a target that no server has used',
    );
  }
}

/** A cluster's revision changes with every event in it, so it proves nothing. */
function revisionMark({ isCluster }: TransferPlace, revision: number): string {
  return isCluster === true ? '' : String(revision);
}

interface VerifyWork {
  readonly source: Scan;
  readonly collections: readonly string[];
  readonly view: Parameters<typeof scan>[2];
  readonly records: number | undefined;
  readonly revision: number;
}

async function verify(
  { from, to }: TransferOptions,
  { source, collections, view, records, revision }: VerifyWork,
): Promise<void> {
  const anew = 'empty the target and start again, with no server on either side';
  if (from.isCluster !== true && (await from.store.revision()) !== revision)
    throw new TransferRefusal(`${from.name} was written while it was copied`, anew);
  const target = await scan(to, collections, view);
  const found = new Map(target.kinds.map((one) => [one.collection, one]));
  for (const { collection, count, digest } of source.kinds) {
    const there = found.get(collection);
    if (there?.digest === digest && there.count === count) continue;
    throw new TransferRefusal(
      `${collection} differ: ${count} in the source, ${there?.count ?? 0} in the target, with other contents`,
      anew,
    );
  }
  const there = await countRecords(to);
  if (records === undefined || there === undefined || records === there) return;
  throw new TransferRefusal(`${records} records in the source, ${there} in the target`, anew);
}

const SHOWN = 5;

function someOf(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return names.slice(0, SHOWN).join(', ') + more;
}
