/** One pass of a power operation: reads the state, and does what `powerStepFor` decides. */
import { powerStepFor, type BmcOperation, type PinnedConnection, type PowerOperation } from '@tinkerbell/bmc';
import { BmcError, type BmcErrorCode } from '@tinkerbell/engine-bmc';
import type { BmcTask } from '@tinkerbell/resources';
import { callBmc } from './call-bmc.ts';
import type { Reconciling } from './config.ts';

/** The result of one pass of a Task. */
export type Pass =
  | { readonly kind: 'completed'; readonly note: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'again'; readonly afterMs: number };

/** What this process has sent for a Task. */
export interface Sent {
  sends: number;
  lastSentMs: number;
  /** The Task had started before this process took it over. */
  readonly isResumed: boolean;
}

interface PowerTask {
  readonly task: BmcTask;
  readonly connection: PinnedConnection;
  readonly operation: Extract<BmcOperation, { kind: 'power' | 'power-status' }>;
}

/** Time for the BMC to act before the first look. */
const AFTER_SENDING_MS = 250;
/** After these the BMC may have the operation: many drop their session when the machine restarts. */
const MAYBE_SENT: ReadonlySet<BmcErrorCode> = new Set(['timed-out', 'session-lost', 'invalid-answer']);

export async function powerPass(
  deps: Reconciling,
  { task, connection, operation }: PowerTask,
  sent: Sent,
): Promise<Pass> {
  const state = await callBmc(deps, connection, {
    kind: 'power-state',
    name: 'read the power state',
    isRepeatable: true,
    run: (session) => session.powerState(),
  });
  if (operation.kind === 'power-status') return { kind: 'completed', note: `power is ${state}` };
  const step = powerStepFor({
    ...sent,
    operation: operation.operation,
    state,
    startedMs: Date.parse(task.status?.startTime ?? ''),
    nowMs: deps.clock.nowMs(),
  });
  switch (step.kind) {
    case 'complete':
      return { kind: 'completed', note: '' };
    case 'fail':
      return { kind: 'failed', message: step.message };
    case 'look-again':
      return { kind: 'again', afterMs: step.afterMs };
    case 'send':
      await send(deps, { connection, operation: step.operation }, sent);
      return { kind: 'again', afterMs: AFTER_SENDING_MS };
  }
}

async function send(
  deps: Reconciling,
  { connection, operation }: { readonly connection: PinnedConnection; readonly operation: PowerOperation },
  sent: Sent,
): Promise<void> {
  const isRepeatable = operation !== 'cycle' && operation !== 'reset';
  sent.sends += 1;
  sent.lastSentMs = deps.clock.nowMs();
  try {
    await callBmc(deps, connection, {
      kind: 'power',
      name: `power ${operation}`,
      isRepeatable,
      run: (session) => session.setPower(operation),
    });
  } catch (thrown) {
    if (isRepeatable || !(thrown instanceof BmcError) || !MAYBE_SENT.has(thrown.code)) throw thrown;
  }
}
