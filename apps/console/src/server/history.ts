/** The last hour of the server, as `/metrics/history` has it. Pure. */

/** Rates are per second, and shares those of one processor, since the point before. */
export interface Point {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly processorShare: number;
  readonly busyShare: number;
  readonly requestRate: number;
  readonly dhcpRate: number;
  readonly reportRate: number;
}

export interface History {
  readonly everySeconds: number;
  /** Oldest first. */
  readonly points: readonly Point[];
}

/** When the server started, unless the history is full: then nobody knows from it. Milliseconds since the Unix epoch. */
export function startIn({ everySeconds, points }: History): number | undefined {
  const [first] = points;
  const isFull = points.length * everySeconds >= 3600;
  return isFull ? undefined : first?.atMs;
}
