import { verdictStates, type Verdict, type VerdictState } from './diagnose.ts';

/** The current verdict of each machine, by `<namespace>/<name>` of its Hardware. The doctor writes it and the API reads it. */
export class Verdicts {
  readonly #byMachine = new Map<string, Verdict>();

  get(machine: string): Verdict | undefined {
    return this.#byMachine.get(machine);
  }

  set(machine: string, verdict: Verdict): void {
    this.#byMachine.set(machine, verdict);
  }

  delete(machine: string): void {
    this.#byMachine.delete(machine);
  }

  entries(): Iterable<readonly [machine: string, verdict: Verdict]> {
    return this.#byMachine.entries();
  }

  /** The number of machines in each state. */
  counts(): ReadonlyMap<VerdictState, number> {
    const counts = new Map<VerdictState, number>(verdictStates.map((state) => [state, 0]));
    for (const { state } of this.#byMachine.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
    return counts;
  }
}
