/** Records what one machine prints, until it is stopped. Opens the console again when the BMC has ended it. */
import { BmcError } from '@tinkerbell/engine-bmc';
import { delay, type Clock } from '@tinkerbell/platform-contract';
import type { ConsoleViewer, SharedConsoles } from '../shared-console.ts';
import type { WatchedMachine } from '../watched-machine.ts';
import { ConsoleLines } from './console-lines.ts';
import { LineBudget } from './line-budget.ts';

export interface RecordingDeps {
  readonly clock: Clock;
  readonly consoles: SharedConsoles;
  /** Returns the BMC as it is now, or a message when the Hardware has no BMC. */
  readonly machine: () => WatchedMachine | string;
  readonly record: (lines: readonly string[]) => void;
  /** Called when a console cannot be opened or has ended, once until it has been opened again. */
  readonly lost: (reason: string) => void;
}

/** A line without an end, such as a prompt, is recorded after this silence. */
const SILENCE_MS = 2000;
const RETRY_MIN_MS = 5000;
const RETRY_MAX_MS = 300_000;

/** Resolves when the signal has aborted and the console is closed. */
export async function record(deps: RecordingDeps, signal: AbortSignal): Promise<void> {
  const printed = new Printed(deps);
  let retryMs = RETRY_MIN_MS;
  let isLost = false;
  while (!signal.aborted) {
    const openedMs = deps.clock.monotonicMs();
    const reason = await recordOnce(deps, printed, { signal, opened: () => (isLost = false) });
    if (signal.aborted) break;
    if (!isLost) deps.lost(reason);
    isLost = true;
    const wasLong = deps.clock.monotonicMs() - openedMs > RETRY_MAX_MS;
    retryMs = wasLong ? RETRY_MIN_MS : Math.min(RETRY_MAX_MS, retryMs * 2);
    await delay(deps.clock, retryMs, signal);
  }
  printed.silent();
}

/** Resolves with the reason when the console has ended. */
async function recordOnce(
  { consoles, machine }: RecordingDeps,
  printed: Printed,
  { signal, opened }: { readonly signal: AbortSignal; readonly opened: () => void },
): Promise<string> {
  const watched = machine();
  if (typeof watched === 'string') return watched;
  const end = Promise.withResolvers<string>();
  const viewer: ConsoleViewer = { output: (bytes) => printed.take(bytes), ended: end.resolve };
  try {
    const joined = await consoles.join(watched.key, watched.connection, viewer);
    opened();
    const leave = (): void => {
      joined.leave();
      end.resolve('');
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    const reason = await end.promise;
    signal.removeEventListener('abort', leave);
    return reason;
  } catch (thrown) {
    if (!(thrown instanceof BmcError)) throw thrown;
    return `${thrown.code}: ${thrown.message}`;
  }
}

class Printed {
  readonly #deps: RecordingDeps;
  readonly #lines = new ConsoleLines();
  readonly #budget: LineBudget;
  #cancelSilence = (): void => undefined;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
    this.#budget = new LineBudget(deps.clock.monotonicMs());
  }

  take(bytes: Uint8Array): void {
    this.#record(this.#lines.take(bytes));
    this.#cancelSilence();
    this.#cancelSilence = this.#deps.clock.schedule(SILENCE_MS, () => this.silent());
  }

  silent(): void {
    this.#cancelSilence();
    this.#record(this.#lines.flush());
    this.#write(this.#budget.takeLast());
  }

  #record(lines: readonly string[]): void {
    this.#write(this.#budget.take(lines, this.#deps.clock.monotonicMs()));
  }

  #write(lines: readonly string[]): void {
    if (lines.length > 0) this.#deps.record(lines);
  }
}
