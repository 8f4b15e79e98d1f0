/** The latest records of each machine, in memory, so that a check reads no database. */
import type { JournalRecord } from '@tinkerbell/store-contract';

/** Several boots. A boot has about 40 records, and a looping machine is throttled to a few a minute. */
const RECORDS_KEPT = 400;
/** Twice as many as a large site has. The machine that was heard of least recently is dropped first. */
const MACHINES_MAX = 20_000;
/** Of consecutive records of these events the last one says it all. */
const REPLACED: readonly string[] = ['transfer-moved', 'action-progressed', 'iso-progressed'];

export class Timelines {
  /** By MAC, in the order of their last records. */
  readonly #byMac = new Map<string, JournalRecord[]>();

  add(record: JournalRecord): void {
    const { machine } = record;
    if (machine === undefined) return;
    const records = this.#byMac.get(machine) ?? [];
    this.#byMac.delete(machine);
    this.#byMac.set(machine, records);
    const last = records.at(-1);
    const isReplaced = last !== undefined && REPLACED.includes(record.event) && isSameTransfer(last, record);
    if (isReplaced) records[records.length - 1] = record;
    else records.push(record);
    if (records.length > RECORDS_KEPT) records.splice(0, RECORDS_KEPT / 4);
    const [oldest] = this.#byMac.keys();
    if (this.#byMac.size > MACHINES_MAX && oldest !== undefined) this.#byMac.delete(oldest);
  }

  /** Returns the records of a machine with these MACs, oldest first. */
  of(macs: readonly string[]): readonly JournalRecord[] {
    const found = macs.flatMap((mac) => this.#byMac.get(mac) ?? []);
    return macs.length < 2 ? found : found.toSorted((one, other) => one.sequence - other.sequence);
  }
}

function isSameTransfer(one: JournalRecord, other: JournalRecord): boolean {
  return one.event === other.event && one.details?.['path'] === other.details?.['path'];
}
