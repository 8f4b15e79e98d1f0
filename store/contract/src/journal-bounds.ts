/** Limits on how much of a journal is kept. Each kind of record has its own limit, so that no kind displaces another. */
export interface JournalBounds {
  /** Lines of output and audit records do not count. */
  readonly recordsKept: number;
  readonly outputLinesKept: number;
  readonly auditRecordsKept: number;
  readonly ageKeptMs: number;
}

/** The default is 90 days. */
export const JOURNAL_BOUNDS: JournalBounds = {
  recordsKept: 1_000_000,
  outputLinesKept: 500_000,
  auditRecordsKept: 200_000,
  ageKeptMs: 90 * 86_400_000,
};
