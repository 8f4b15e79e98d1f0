/** Where we do not do what the Go at hand does, and why. The first that matches a template counts. */
export interface KnownDifference {
  readonly matches: RegExp;
  readonly reason: string;
  /** Only for Go older than 1.this; left out for every version. */
  readonly beforeGo?: number;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    matches: /\{\{ range (?:3|0|-1|\(int 2\)|\.n|\(len)/,
    reason: 'range over a number is of Go 1.22',
    beforeGo: 22,
  },
  { matches: /\bsha512sum\b/, reason: 'sha512sum is of sprig 3.3; Debian has 3.2.3' },
  { matches: /else with/, reason: 'else with is of Go 1.23', beforeGo: 23 },
];
