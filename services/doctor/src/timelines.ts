/** The latest records of each machine, in memory, so that a check reads no database. */
import { bootsIn, mayBeginFirst, type StagedRecord } from '@tinkerbell/diagnosis';
import type { JournalRecord } from '@tinkerbell/store-contract';

/** A boot has about 40 records, and an operating system may log a thousand lines more. The first ones say how the boot began. */
const RECORDS_KEPT = 400;
const FIRST_KEPT = 100;
/** Of a machine that is not known to have booted. A Workflow of ten actions has about 40. */
const UNBOOTED_KEPT = 60;
/** Boots that are kept, condensed. More within a quarter of an hour are a loop all the same. */
const BOOTS_KEPT = 6;
/** Twice as many as a large site has. The machine that was heard of least recently is dropped first. */
const MACHINES_MAX = 20_000;
/** Of consecutive records of these events the last one says it all. */
const REPLACED: readonly string[] = ['transfer-moved', 'file-moved', 'action-progressed', 'iso-progressed'];
/** Among the last records one is searched that differs in nothing but its time. */
const SIMILAR_AMONG = 4;

export class Timelines {
  /** By MAC, in the order of their last records. */
  readonly #byMac = new Map<string, JournalRecord[]>();
  /** Those that had a record with which a boot may begin. */
  readonly #booted = new Set<string>();

  add(record: JournalRecord): void {
    const { machine } = record;
    if (machine === undefined) return;
    const records = this.#byMac.get(machine) ?? [];
    this.#byMac.delete(machine);
    this.#byMac.set(machine, records);
    const last = records.at(-1);
    const isReplaced = last !== undefined && REPLACED.includes(record.event) && isSameTransfer(last, record);
    if (isReplaced) records[records.length - 1] = record;
    else records.push(sharing(record, records));
    if (mayBeginFirst(record)) this.#booted.add(machine);
    if (records.length > RECORDS_KEPT) records.splice(FIRST_KEPT, RECORDS_KEPT / 4);
    else if (records.length > UNBOOTED_KEPT && !this.#booted.has(machine)) records.shift();
    if (this.#byMac.size > MACHINES_MAX) this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#byMac.keys();
    if (oldest === undefined) return;
    this.#byMac.delete(oldest);
    this.#booted.delete(oldest);
  }

  /** Reduces boots that are over to how they began and how they ended. Ten thousand machines at rest take 30 MB. */
  condense(macs: readonly string[]): void {
    for (const mac of macs) this.#condense(mac, landmarksOf);
  }

  /** As `condense`, except that the last boot stays whole. */
  condenseBefore(mac: string): void {
    this.#condense(mac, (boot, isLast) =>
      isLast ? boot.map(({ sequence }) => sequence) : landmarksOf(boot, isLast),
    );
  }

  #condense(mac: string, keep: (boot: readonly StagedRecord[], isLast: boolean) => readonly number[]): void {
    const records = this.#byMac.get(mac);
    if (records === undefined) return;
    const boots = bootsIn(records).slice(-BOOTS_KEPT);
    const kept = new Set(boots.flatMap((boot, at) => keep(boot, at === boots.length - 1)));
    // A Job of the BMC precedes the boot that it causes.
    const isKept = ({ sequence, source }: JournalRecord): boolean =>
      kept.has(sequence) || (boots.length === 0 && source !== 'syslog');
    if (boots.length === 0) this.#booted.delete(mac);
    // Only a copy has no room for 16 more.
    this.#byMac.set(mac, records.filter(isKept).slice());
  }

  /** Returns the records of a machine with these MACs, oldest first. */
  of(macs: readonly string[]): readonly JournalRecord[] {
    const found = macs.flatMap((mac) => this.#byMac.get(mac) ?? []);
    return macs.length < 2 ? found : found.toSorted((one, other) => one.sequence - other.sequence);
  }
}

/** A machine repeats its requests, for years when its system renews its address. What the records say is in memory once. */
function sharing(record: JournalRecord, records: readonly JournalRecord[]): JournalRecord {
  const { sequence, atMs } = record;
  const like = records.slice(-SIMILAR_AMONG).find((other) => saysTheSame(record, other)) ?? record;
  const { source, event, machine, message, details } = like;
  if (like.workflow !== undefined || machine === undefined || details === undefined)
    return like === record ? record : { ...like, sequence, atMs };
  // V8 keeps the last properties of an object that was spread outside of it, in 40 bytes more.
  return { sequence, atMs, source, event, machine, message, details };
}

/** They are records of one machine. */
function saysTheSame(one: JournalRecord, other: JournalRecord): boolean {
  const texts = ['event', 'message', 'source', 'workflow'] as const;
  if (texts.some((text) => one[text] !== other[text])) return false;
  const [some, others] = [one.details ?? {}, other.details ?? {}];
  const names = Object.keys(some);
  const isSame = (name: string): boolean => some[name] === others[name];
  return names.length === Object.keys(others).length && names.every(isSame);
}

function isSameTransfer(one: JournalRecord, other: JournalRecord): boolean {
  return one.event === other.event && one.details?.['path'] === other.details?.['path'];
}

/**
 * The sequences of the first record, and of the last ones that say what was booted, who worked, and how it ended. The machine's own
 * system may renew its address at any time after the last boot, which says how long it has been running.
 */
function landmarksOf(boot: readonly StagedRecord[], isLast: boolean): readonly number[] {
  const last = (isIt: (record: StagedRecord) => boolean): readonly number[] =>
    boot
      .filter(isIt)
      .slice(-1)
      .map(({ sequence }) => sequence);
  return [
    ...boot.slice(0, 1).map(({ sequence }) => sequence),
    ...last(({ event }) => event === 'script-served'),
    ...last(({ source }) => source === 'agent'),
    ...last(({ event }) => event === 'state-changed'),
    ...last(({ event }) => event === 'machine-ready'),
    ...last(({ details }) => isLast && details?.['client'] === 'an operating system'),
  ];
}
