/** How much of a journal is kept; each kind of record has a bound of its own and pushes no other out. */
export interface JournalBounds {
  /** Lines of output and of the audit do not count. */
  readonly recordsKept: number;
  readonly outputLinesKept: number;
  readonly auditRecordsKept: number;
  readonly ageKeptMs: number;
}

/** Where nothing else is said; 90 days. */
export const JOURNAL_BOUNDS: JournalBounds = {
  recordsKept: 1_000_000,
  outputLinesKept: 500_000,
  auditRecordsKept: 200_000,
  ageKeptMs: 90 * 86_400_000,
};
