/**
 * Where our results differ from the installed Go, and why. The first entry that matches a template counts.
 */
export interface KnownDifference {
  readonly matches: RegExp;
  readonly reason: string;
  /** Only for Go older than 1.this. Omitted for every version. */
  readonly beforeGo?: number;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    matches: /\{\{ range (?:3|0|-1|\(int 2\)|\.n|\(len)/,
    reason: 'range over a number was added in Go 1.22',
    beforeGo: 22,
  },
  { matches: /\bsha512sum\b/, reason: 'sha512sum was added in sprig 3.3, and Debian has 3.2.3' },
  { matches: /else with/, reason: 'else with was added in Go 1.23', beforeGo: 23 },
];
