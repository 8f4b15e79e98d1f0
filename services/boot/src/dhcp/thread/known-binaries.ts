import type { Clock } from '@tinkerbell/platform-contract';
import type { BinaryName } from './messages.ts';

/** The main thread searches the file again after five seconds, when somebody uses it. */
const USE_REPORTED_EVERY_MS = 1_000;

interface Known {
  isMissing: boolean;
  reportedMs: number;
}

/** What the main thread has found about boot files. A decision that needs another one is not made here. */
export class KnownBinaries {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #reportUse: (binary: BinaryName) => void;
  readonly #known = new Map<string, Known>();
  #isUnsure = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>, reportUse: (binary: BinaryName) => void) {
    this.#clock = clock;
    this.#reportUse = reportUse;
  }

  know(binary: BinaryName, isMissing: boolean): void {
    this.#known.set(keyOf(binary), { isMissing, reportedMs: this.#clock.monotonicMs() });
  }

  /** Before a decision. */
  begin(): void {
    this.#isUnsure = false;
  }

  /** True when the decision has asked for an unknown binary. */
  isUnsure(): boolean {
    return this.#isUnsure;
  }

  readonly lacks = (name: string, protocol: BinaryName['protocol']): boolean => {
    const known = this.#known.get(keyOf({ name, protocol }));
    if (known === undefined) {
      this.#isUnsure = true;
      return false;
    }
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - known.reportedMs >= USE_REPORTED_EVERY_MS) {
      known.reportedMs = nowMs;
      this.#reportUse({ name, protocol });
    }
    return known.isMissing;
  };
}

export function keyOf({ name, protocol }: BinaryName): string {
  return `${protocol} ${name}`;
}
