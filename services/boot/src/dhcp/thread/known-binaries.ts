import type { Clock } from '@tinkerbell/platform-contract';
import type { BinaryName } from './messages.ts';

/** The main thread searches the file again after five seconds, when somebody uses it. */
const USE_REPORTED_EVERY_MS = 1_000;

/** What the main thread has last reported about a boot file. */
export interface Known {
  readonly binary: BinaryName;
  readonly isMissing: boolean;
  reportedMs: number;
  /** The main thread has reported something else since. */
  isOld: boolean;
}

/** What the main thread has found about boot files. A decision that needs another one is not made here. */
export class KnownBinaries {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #reportUse: (binary: BinaryName) => void;
  readonly #known = new Map<string, Known>();
  #asked: readonly Known[] = NONE;
  #isUnsure = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>, reportUse: (binary: BinaryName) => void) {
    this.#clock = clock;
    this.#reportUse = reportUse;
  }

  know(binary: BinaryName, isMissing: boolean): void {
    const key = keyOf(binary);
    const before = this.#known.get(key);
    if (before !== undefined) before.isOld = true;
    this.#known.set(key, { binary, isMissing, reportedMs: this.#clock.monotonicMs(), isOld: false });
  }

  /** Before a decision. */
  begin(): void {
    this.#isUnsure = false;
    this.#asked = NONE;
  }

  /** True when the decision has asked for an unknown binary. */
  isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** The binaries that the decision has asked for. */
  asked(): readonly Known[] {
    return this.#asked;
  }

  /** Returns true when a decision that asked for these is still the same. They are used again. */
  areStill(binaries: readonly Known[]): boolean {
    if (binaries.some(({ isOld }) => isOld)) return false;
    for (const known of binaries) this.#use(known);
    return true;
  }

  readonly lacks = (name: string, protocol: BinaryName['protocol']): boolean => {
    const known = this.#known.get(keyOf({ name, protocol }));
    if (known === undefined) {
      this.#isUnsure = true;
      return false;
    }
    if (!this.#asked.includes(known)) this.#asked = [...this.#asked, known];
    this.#use(known);
    return known.isMissing;
  };

  #use(known: Known): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - known.reportedMs < USE_REPORTED_EVERY_MS) return;
    known.reportedMs = nowMs;
    this.#reportUse(known.binary);
  }
}

const NONE: readonly Known[] = [];

export function keyOf({ name, protocol }: BinaryName): string {
  return `${protocol} ${name}`;
}
