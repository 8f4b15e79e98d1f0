/** A disc that stays in the drive of a machine: a session that ends is opened again, with pauses that become longer. */
import { delay, type Clock } from '@tinkerbell/platform-contract';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';
import type { AmtDrive } from './amt-drive.ts';

const FIRST_PAUSE_MS = 500;
const PAUSE_MAX_MS = 60_000;
/** Trying again helps with these only. BMCs lock accounts after wrong passwords. */
const PASSING: ReadonlySet<BmcErrorCode> = new Set(['unreachable', 'timed-out', 'busy', 'session-lost']);

/** The signal aborts when the disc is ejected. Rejects with a BmcError. */
type Connect = (signal: AbortSignal) => Promise<AmtDrive>;

export class HeldDisc implements AsyncDisposable {
  readonly url: string;
  readonly #clock: Clock;
  readonly #connect: Connect;
  readonly #ending = new AbortController();
  #drive: AmtDrive | undefined;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(url: string, clock: Clock, connect: Connect) {
    this.url = url;
    this.#clock = clock;
    this.#connect = connect;
  }

  /** Rejects with a BmcError when the first session does not open. */
  static async insert(url: string, clock: Clock, connect: Connect): Promise<HeldDisc> {
    const held = new HeldDisc(url, clock, connect);
    held.#drive = await connect(held.#ending.signal);
    held.#keeping = held.#keep(held.#drive);
    return held;
  }

  /** Whether the machine has the disc now. */
  get isOpen(): boolean {
    return this.#drive !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#drive?.[Symbol.asyncDispose]();
    await this.#keeping;
  }

  async #keep(first: AmtDrive): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    let drive: AmtDrive | undefined = first;
    while (drive !== undefined) {
      const openedMs = this.#clock.monotonicMs();
      await drive.ended;
      this.#drive = undefined;
      // A session that ends at once is as bad as one that does not open.
      const hasLasted = this.#clock.monotonicMs() - openedMs > PAUSE_MAX_MS;
      pauseMs = hasLasted ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, PAUSE_MAX_MS);
      drive = await this.#again(pauseMs);
      this.#drive = drive;
    }
  }

  /** Undefined: it is over. */
  async #again(firstPauseMs: number): Promise<AmtDrive | undefined> {
    const { signal } = this.#ending;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      await delay(this.#clock, pauseMs, signal);
      if (signal.aborted) return undefined;
      try {
        const drive = await this.#connect(signal);
        if (!signal.aborted) return drive;
        await drive[Symbol.asyncDispose]();
      } catch (thrown) {
        if (!(thrown instanceof BmcError)) throw thrown;
        if (!PASSING.has(thrown.code)) return undefined;
      }
    }
  }
}
