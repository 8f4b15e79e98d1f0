/**
 * The addresses that were given from pools, so that no restart gives one to a second machine. One record per address, with
 * whoever had it last: a lease that has ended is kept, because the same machine is to get the same address again.
 */
export interface Lease {
  /** Dotted IPv4. */
  readonly address: string;
  /** Lower case with colons; of a declined address, of the machine that found it in use. */
  readonly mac: string;
  /** `declined`: another machine has the address, nobody gets it before `untilMs`. */
  readonly state: 'leased' | 'released' | 'declined';
  /** When it ends or ended; milliseconds since the Unix epoch. */
  readonly untilMs: number;
}

/** Far more than pools hold. Beyond it the leases that ended longest ago are forgotten. */
export const LEASES_KEPT = 100_000;

export interface LeaseBook extends AsyncDisposable {
  /** All records, in no order. */
  load(): Promise<readonly Lease[]>;
  /**
   * Replaces the record of the address. It survives a power cut when this resolves; rejects when the disk does not take
   * it, and the lease must not be acknowledged.
   */
  write(lease: Lease): Promise<void>;
  close(): Promise<void>;
}
