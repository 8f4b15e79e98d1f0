/** Randomness as a parameter: seeded in simulation, the kernel's in production. */
export interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** A number in [0, 1), for jitter. Not for secrets. */
  fraction(): number;
}
