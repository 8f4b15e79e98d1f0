/** The child process side: runs one action, and sends its progress and result to the agent over the IPC channel. */
import { writeFileSync } from 'node:fs';

import { ActionError, type ActionContext, type ActionResult } from '@tinkerbell/action-kit';
import type { Log, LogFields } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';

import { orderIn, type ActionOrder, type RunnerMessage } from './action-messages.ts';
import { linkDisks } from './link-disks.ts';
import { actionName, builtInAction, unknownImage } from './built-in-actions.ts';

/** Makes the kernel's OOM killer choose the action, not the agent that must report it. */
const OOM_SCORE_ADJUSTMENT = '500';

/** Time limit for a stopped action. A container has 5 s after its stop signal. */
const ORPHAN_MS = { 'built-in': 1000, 'wait-daemon': 1000, refused: 1000, container: 8000 } as const;

/** Waits for an order, runs it, sends the result, and exits. */
export async function runActionProcess(): Promise<void> {
  try {
    writeFileSync('/proc/self/oom_score_adj', OOM_SCORE_ADJUSTMENT);
  } catch {
    // Not permitted outside the in-memory OS, where it does not matter.
  }
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  // Stop the action if the agent is gone: nobody can report it, and a new agent requests it again.
  let orphanMs: number = ORPHAN_MS['built-in'];
  process.once('disconnect', () => {
    stop.abort();
    setTimeout(() => process.exit(1), orphanMs);
  });
  const order = await new Promise<ActionOrder>((resolve) => {
    process.once('message', (message) => resolve(orderIn(message)));
    void send({ kind: 'ready' });
  });
  orphanMs = ORPHAN_MS[order.execution.kind];
  const result = await perform(order, stop.signal);
  await send({ kind: 'result', result });
  process.exit(0);
}

async function perform(order: ActionOrder, signal: AbortSignal): Promise<ActionResult> {
  const { execution, image, command } = order;
  if (execution.kind === 'refused') return { ok: false, error: execution.error };
  const context: ActionContext = {
    log: channelLog({}),
    clock: nodeClock,
    signal,
    command,
    progress: (progress) => void send({ kind: 'progress', progress }),
  };
  try {
    linkDisks();
    if (execution.kind === 'container') {
      // Loaded only where it is needed, because an action's process must start quickly.
      const { runContainerAction } = await import('./container-action.ts');
      return await runContainerAction(order, execution.runtime, context);
    }
    const action = builtInAction(image);
    return action === undefined
      ? { ok: false, error: unknownImage(image) }
      : await action.run(order.environment, context);
  } catch (error) {
    if (error instanceof ActionError) return { ok: false, error: error.message };
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ok: false, error: `${actionName(image)} failed unexpectedly: ${text}` };
  }
}

function channelLog(fixed: LogFields): Log {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => {
    return (message: string, fields: LogFields = {}): void => {
      void send({ kind: 'log', level, message, fields: { ...fixed, ...fields } });
    };
  };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: (fields) => channelLog({ ...fixed, ...fields }),
  };
}

function send(message: RunnerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, {}, () => resolve());
  });
}
