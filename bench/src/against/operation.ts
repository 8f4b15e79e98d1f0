/** What is measured of two checkouts in turns. */
import type { BenchContext } from '../benchmark.ts';

export interface Operation {
  readonly name: string;
  readonly unit: string;
  /** Runs one round. Less is better. */
  measure(): Promise<number>;
}

/** Starts the server of a checkout, which runs until the end of the scope, and returns what to measure. */
export type StartOperations = (context: BenchContext, checkout: string) => Promise<readonly Operation[]>;
