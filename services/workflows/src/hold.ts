/**
 * Holds a call until something may have changed for its agent. One object serves all waits of a call, because a signal for each
 * wait, or a listener on the signal of the call, costs more than the wait itself.
 */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Ending } from './ending.ts';
import type { WaitingAgents } from './waiting-agents.ts';

export type HoldEnd = 'change' | 'time' | 'ended';

export interface HoldDeps {
  readonly clock: Clock;
  /** The time for which a call is held when there is no action. Upstream holds 60 s. */
  readonly holdMs: number;
}

export class Hold {
  readonly #deps: HoldDeps;
  readonly #ending: Ending;
  #hasChanged = false;
  #isOver = false;
  #isListening = false;
  #wake = (): void => undefined;
  #leave = (): void => undefined;
  #cancelTimer: (() => void) | undefined;
  readonly #end = (): void => this.#wake();

  constructor(deps: HoldDeps, ending: Ending) {
    this.#deps = deps;
    this.#ending = ending;
  }

  /** Notices changes from here on. Call it before a check, so that no change is missed between the check and the wait. */
  listen(agents: WaitingAgents, agentId: string): void {
    this.#leave();
    this.#hasChanged = false;
    this.#leave = agents.enter(agentId, () => {
      this.#hasChanged = true;
      this.#wake();
    });
  }

  /**
   * Resolves at the first change since `listen`, at the end of the call, or when the time of the hold is over. While `goesOn` returns
   * true, the time begins again instead.
   */
  async wait(goesOn?: () => boolean): Promise<HoldEnd> {
    const ending = this.#ending;
    if (!this.#isListening) ending.onEnd(this.#end);
    this.#isListening = true;
    if (this.#cancelTimer === undefined) this.#beginTime(goesOn);
    if (!this.#hasChanged && !this.#isOver && !ending.isOver)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#leave();
    if (ending.isOver) return 'ended';
    return this.#isOver ? 'time' : 'change';
  }

  #beginTime(goesOn: (() => boolean) | undefined): void {
    this.#cancelTimer = this.#deps.clock.schedule(this.#deps.holdMs, () => {
      if (goesOn?.() === true) return this.#beginTime(goesOn);
      this.#isOver = true;
      this.#wake();
    });
  }

  /** The time begins again with the next wait. */
  renew(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#isOver = false;
  }

  [Symbol.dispose](): void {
    this.renew();
    this.#leave();
    if (this.#isListening) this.#ending.offEnd(this.#end);
  }
}
