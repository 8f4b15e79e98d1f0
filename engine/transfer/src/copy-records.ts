/** Copies the records of the journal and the leases into the target. Both can be repeated. */
import { EVENTS_READ_BY_NAME, type Journal, type JournalRecord } from '@tinkerbell/store-contract';
import type { Marker } from './marker.ts';
import type { TransferPlace } from './transfer-place.ts';

const RECORDS_AT_ONCE = 1_000;
/** The number of batches between two updates of the marker. After an interruption, at most this many are copied again. */
const NOTE_EVERY = 20;

export interface RecordOptions {
  /** The position of an earlier run. */
  readonly position: Pick<Marker, 'timeline' | 'output'>;
  readonly note: (position: Pick<Marker, 'timeline' | 'output'>) => Promise<void>;
  readonly onCopied: (count: number) => void;
}

/** Timelines are copied first, then the records that are read by name: output of actions and the audit of writes. */
export async function copyRecords(
  from: TransferPlace,
  to: TransferPlace,
  { position, note, onCopied }: RecordOptions,
): Promise<void> {
  if (from.journal === undefined || to.journal === undefined) return;
  const reached = { ...position };
  for (const part of ['timeline', 'output'] as const) {
    let batches = 0;
    for await (const records of eachBatch(from.journal, part, reached[part])) {
      await to.journal.restore(records);
      reached[part] = records.at(-1)?.sequence ?? reached[part];
      batches += 1;
      if (batches % NOTE_EVERY === 0) await note(reached);
      onCopied(records.length);
    }
    await note(reached);
  }
}

export async function countRecords({ journal }: TransferPlace): Promise<number | undefined> {
  if (journal === undefined) return undefined;
  let count = 0;
  for (const part of ['timeline', 'output'] as const)
    for await (const records of eachBatch(journal, part, 0)) count += records.length;
  return count;
}

async function* eachBatch(
  journal: Journal,
  part: 'timeline' | 'output',
  from: number,
): AsyncGenerator<readonly JournalRecord[], void, undefined> {
  const events = part === 'output' ? { events: EVENTS_READ_BY_NAME } : {};
  for (let after = from; ;) {
    const records = await journal.read({ after, limit: RECORDS_AT_ONCE, ...events });
    if (records.length > 0) yield records;
    if (records.length < RECORDS_AT_ONCE) return;
    after = records.at(-1)?.sequence ?? after;
  }
}

/** Returns the number of records, or undefined where they are kept elsewhere. */
export async function copyLeases(from: TransferPlace, to: TransferPlace): Promise<number | undefined> {
  if (from.leases === undefined || to.leases === undefined) return undefined;
  const { leases: book } = to;
  const leases = await from.leases.load();
  await Promise.all(leases.map((lease) => book.write(lease)));
  return leases.length;
}
