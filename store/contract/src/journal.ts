/**
 * Append-only records that are not objects: the timeline of a machine from its first packet to the last action. Count and age are
 * limited.
 */
export type JournalSource =
  | 'dhcp'
  | 'tftp'
  | 'http'
  | 'image'
  | 'syslog'
  | 'agent'
  | 'workflow'
  | 'bmc'
  | 'server'
  | 'audit';

export type JournalDetail = string | number | boolean | null;

export interface JournalEntry {
  readonly source: JournalSource;
  /** The name is in kebab case and past tense: `offer-sent`, `request-ignored`, `action-started`. */
  readonly event: string;
  /** The MAC, in lower case with colons, when it is known. */
  readonly machine?: string;
  /** `<namespace>/<name>` of the workflow, when the record concerns one. */
  readonly workflow?: string;
  /** One line for a person. */
  readonly message: string;
  /** The details of the record: bytes, milliseconds, reason. */
  readonly details?: Readonly<Record<string, JournalDetail>>;
}

export interface JournalRecord extends JournalEntry {
  /** Increases with every record. It increases by more than one after a server has started. */
  readonly sequence: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

export interface JournalQuery {
  /** Selects records of these machines or of these workflows. Selects all records when both are absent. */
  readonly machines?: readonly string[];
  readonly workflows?: readonly string[];
  /**
   * Selects records of these events. When it is absent, it selects all records except those of `EVENTS_READ_BY_NAME`. They are not part of a timeline.
   */
  readonly events?: readonly string[];
  /** Selects records with a greater sequence. 0 starts with the oldest. */
  readonly after: number;
  readonly limit?: number;
}

export interface Journal extends AsyncDisposable {
  /**
   * Accepts a record and writes it within 100 ms. It never throws and never waits: when the disk is full, records are lost and
   * counted.
   */
  append(entry: JournalEntry): void;
  /** Returns records in order of sequence, including every record appended before the call. */
  read(query: JournalQuery): Promise<readonly JournalRecord[]>;
  /** Calls `onRecord` for each matching record appended from now on. Returns the function that stops it. */
  follow(query: Omit<JournalQuery, 'after' | 'limit'>, onRecord: (record: JournalRecord) => void): () => void;
  close(): Promise<void>;
}

/** A journal into which the records of another journal are copied. */
export interface RestorableJournal extends Journal {
  /**
   * Writes records with their existing numbers and times. Records whose numbers exist are left unchanged, so the call can be
   * repeated. New records get greater numbers. When the next of these calls resolves, the records are as durable as the store's
   * commits.
   */
  restore(records: readonly JournalRecord[]): Promise<void>;
}

/** The event of a line of an action's output. Such records have their own limit, so that they do not displace others. */
export const ACTION_OUTPUT = 'action-output';

/** The event of an answered write over the API: the user and the request. Such records also have their own limit. */
export const WRITE_ANSWERED = 'write-answered';

/** The event of a line that a machine printed on its serial console. Such records share the limit of the output of actions. */
export const CONSOLE_OUTPUT = 'console-printed';

export const EVENTS_READ_BY_NAME: readonly string[] = [ACTION_OUTPUT, CONSOLE_OUTPUT, WRITE_ANSWERED];

export function matches(query: Omit<JournalQuery, 'after' | 'limit'>, entry: JournalEntry): boolean {
  const isReadByName = EVENTS_READ_BY_NAME.includes(entry.event);
  if (query.events === undefined ? isReadByName : !query.events.includes(entry.event)) return false;
  if (query.machines === undefined && query.workflows === undefined) return true;
  if (entry.machine !== undefined && query.machines?.includes(entry.machine)) return true;
  return entry.workflow !== undefined && query.workflows?.includes(entry.workflow) === true;
}
