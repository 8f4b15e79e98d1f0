/**
 * The next step of a power operation. On, off and soft describe a state: the operation is complete when the BMC reports that state,
 * and a BMC that accepts it and does nothing gets it again a few times. Cycle and reset describe none, so each is sent once. If the
 * server stopped after it had recorded the operation, it cannot know whether the BMC has got it, and reports that (G17).
 */
import type { PowerOperation, PowerState } from '../machine-state.ts';

export interface PowerProgress {
  readonly operation: PowerOperation;
  /** The state that the BMC reports now. */
  readonly state: PowerState;
  /** When the start of the Task was recorded. */
  readonly startedMs: number;
  readonly nowMs: number;
  /** By this server, for this Task. */
  readonly sends: number;
  readonly lastSentMs: number;
  /** The start was recorded by an earlier pass, so that another process may have sent the operation. */
  readonly isResumed: boolean;
}

export type PowerStep =
  | { readonly kind: 'send'; readonly operation: PowerOperation }
  | { readonly kind: 'complete' }
  | { readonly kind: 'look-again'; readonly afterMs: number }
  | { readonly kind: 'fail'; readonly message: string };

/** Upstream's limit of a Task. */
export const TASK_MS_MAX = 600_000;
const SENDS_MAX = 3;
/** A server takes a few seconds to power off, and a BMC some more to report it. */
const SEND_AGAIN_MS = 20_000;
/** After the last repetition. */
const GIVE_UP_MS = 40_000;
const LOOK_MS = 3000;
/** At first, since most BMCs are done within a second. */
const FIRST_LOOKS_MS = 500;
const FIRST_LOOKS_UNTIL_MS = 3000;

export function powerStepFor(progress: PowerProgress): PowerStep {
  const { operation, state, sends, nowMs, startedMs } = progress;
  const isState = operation !== 'cycle' && operation !== 'reset';
  if (state === goalOf(operation) && (isState || sends > 0)) return { kind: 'complete' };
  if (nowMs - startedMs > TASK_MS_MAX) return { kind: 'fail', message: timeoutOf(progress) };
  if (sends > 0) return afterSending(progress);
  if (!isState && progress.isResumed) return { kind: 'fail', message: interrupted(progress) };
  // A machine that is off cannot be cycled. Upstream's drivers turn it on.
  return { kind: 'send', operation: operation === 'cycle' && state === 'off' ? 'on' : operation };
}

function goalOf(operation: PowerOperation): PowerState {
  return operation === 'off' || operation === 'soft' ? 'off' : 'on';
}

function afterSending({ operation, state, sends, nowMs, lastSentMs }: PowerProgress): PowerStep {
  const sinceMs = nowMs - lastSentMs;
  const mayRepeat = operation === 'on' || operation === 'off';
  if (mayRepeat && sinceMs >= SEND_AGAIN_MS && sends < SENDS_MAX) return { kind: 'send', operation };
  if (mayRepeat && sinceMs >= GIVE_UP_MS) {
    const times = `${sends} times`;
    return {
      kind: 'fail',
      message: `not-applied: the BMC accepted power ${operation} ${times}, and reports that the power is ${state}`,
    };
  }
  return { kind: 'look-again', afterMs: sinceMs < FIRST_LOOKS_UNTIL_MS ? FIRST_LOOKS_MS : LOOK_MS };
}

function timeoutOf({ operation, state }: PowerProgress): string {
  const why =
    operation === 'soft' ? 'the operating system did not shut down; use power off' : `power is ${state}`;
  return `bmc task timeout: power ${operation} had no effect within ${TASK_MS_MAX / 60_000} minutes: ${why}`;
}

function interrupted({ operation, state }: PowerProgress): string {
  return `the server stopped while it sent power ${operation}, which is not repeated, because it may have had an effect; the power is ${state}; create a new Job to repeat it`;
}
