/**
 * The addresses assigned from pools. They are stored so that a restart does not assign an address to a second machine. Each
 * address has one record with its last owner. Expired leases are kept, because the same machine must get the same address again.
 */
export interface Lease {
  /** Dotted IPv4. */
  readonly address: string;
  /** Lower case with colons. For a declined address, this is the machine that found it in use. */
  readonly mac: string;
  /** `declined`: another machine uses the address, and it is not assigned before `untilMs`. */
  readonly state: 'leased' | 'released' | 'declined';
  /** The time when the lease ends or ended, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
}

/** This is far more than pools hold. Beyond it, the leases that ended first are dropped. */
export const LEASES_KEPT = 100_000;

export interface LeaseBook extends AsyncDisposable {
  /** All records, in no order. */
  load(): Promise<readonly Lease[]>;
  /**
   * Replaces the record of the address. When the promise resolves, the record survives a power cut. It rejects when the write
   * fails, and then the lease must not be acknowledged.
   */
  write(lease: Lease): Promise<void>;
  close(): Promise<void>;
}
