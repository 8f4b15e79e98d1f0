/**
 * Append-only records that are not objects: the timeline of a machine from its first packet to the last
 * action. Bounded by count and age.
 */
export type JournalSource =
  | 'dhcp'
  | 'tftp'
  | 'http'
  | 'image'
  | 'syslog'
  | 'agent'
  | 'workflow'
  | 'server'
  | 'audit';

export type JournalDetail = string | number | boolean | null;

export interface JournalEntry {
  readonly source: JournalSource;
  /** Kebab-case past tense: `offer-sent`, `request-ignored`, `action-started`. */
  readonly event: string;
  /** MAC, lower case with colons, when it is known. */
  readonly machine?: string;
  /** `<namespace>/<name>`, when it concerns one. */
  readonly workflow?: string;
  /** One line for a person. */
  readonly message: string;
  /** The numbers and names behind the line: bytes, milliseconds, reason. */
  readonly details?: Readonly<Record<string, JournalDetail>>;
}

export interface JournalRecord extends JournalEntry {
  /** Grows with every record; by more than one where a server began. */
  readonly sequence: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

export interface JournalQuery {
  /** Records of these machines or of these workflows; all records when both are absent. */
  readonly machines?: readonly string[];
  readonly workflows?: readonly string[];
  /**
   * Records of these events. When it is absent: all but the output of actions (`ACTION_OUTPUT`) and the audit of writes
   * (`WRITE_ANSWERED`), which are read by name: they belong in no timeline.
   */
  readonly events?: readonly string[];
  /** Records with a greater sequence; 0 begins with the oldest. */
  readonly after: number;
  readonly limit?: number;
}

export interface Journal extends AsyncDisposable {
  /** Takes a record; it is written within 100 ms. Never throws and never waits: a full disk loses records and counts them. */
  append(entry: JournalEntry): void;
  /** In order of sequence. Sees every record appended before the call. */
  read(query: JournalQuery): Promise<readonly JournalRecord[]>;
  /** Calls `onRecord` for each matching record appended from now on. Returns the function that stops it. */
  follow(query: Omit<JournalQuery, 'after' | 'limit'>, onRecord: (record: JournalRecord) => void): () => void;
  close(): Promise<void>;
}

/** One into which the records of another are copied. */
export interface RestorableJournal extends Journal {
  /**
   * Writes records with the numbers and times that they have; those whose numbers are there are left alone, so that it may be repeated.
   * New records get greater numbers. They are as durable as the store's commits when the next of these has resolved.
   */
  restore(records: readonly JournalRecord[]): Promise<void>;
}

/** The event of a line of an action's output. Such records have a bound of their own, so that they push nothing else out. */
export const ACTION_OUTPUT = 'action-output';

/** The event of an answered write over the API: who asked for what. Such records have a bound of their own, too. */
export const WRITE_ANSWERED = 'write-answered';

export function matches(query: Omit<JournalQuery, 'after' | 'limit'>, entry: JournalEntry): boolean {
  const isReadByName = entry.event === ACTION_OUTPUT || entry.event === WRITE_ANSWERED;
  if (query.events === undefined ? isReadByName : !query.events.includes(entry.event)) return false;
  if (query.machines === undefined && query.workflows === undefined) return true;
  if (entry.machine !== undefined && query.machines?.includes(entry.machine)) return true;
  return entry.workflow !== undefined && query.workflows?.includes(entry.workflow) === true;
}
