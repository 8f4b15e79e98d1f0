/** The agent's loop: requests an action, runs it, and reports it until the report is acknowledged. */
import { redacted, secretsOf } from '@tinkerbell/api/redaction';
import { delay } from '@tinkerbell/platform-contract';

import { runInProcess, type ActionOutcome } from './action-process.ts';
import type { ActionOrder } from './action-messages.ts';
import { orderFor } from './action-order.ts';
import { createBackoff, type Backoff } from './backoff.ts';
import { performFollowUp, waitDaemonOrder } from './follow-up.ts';
import { createProgressReporter } from './progress-reporter.ts';
import { finalReport, runningReport } from './report.ts';
import type { Assignment } from './assignment.ts';
import type { AgentDependencies } from './agent-dependencies.ts';
import type { FinishedAction, FollowUp } from './kept-files.ts';
import type { Settings } from './settings.ts';

/** Runs until the signal aborts. A report left over from a crash is sent before the next action is requested. */
export async function runAgent(dependencies: AgentDependencies): Promise<void> {
  const { settings, client, spool, log, signal } = dependencies;
  const backoff = createBackoff(settings.backoffMaxMs, dependencies.random);
  const pause = (): Promise<void> => delay(dependencies.clock, backoff.nextMs(), signal);
  let lastError = '';
  while (!signal.aborted) {
    await deliverPending(dependencies, backoff);
    if (signal.aborted) return;
    const { attributes } = dependencies;
    const request = {
      agentId: settings.id,
      ...(attributes === undefined ? {} : { agentAttributes: attributes }),
    };
    const answer = await client.next(request, signal);
    if (!answer.ok) {
      // Log a repeated answer only once.
      if (answer.error !== lastError && !signal.aborted)
        log.info(idleText(answer.kind), { reason: answer.error });
      lastError = answer.error;
      await pause();
      continue;
    }
    lastError = '';
    const finished = await runAction(answer.value, dependencies);
    if (finished === undefined) {
      await pause();
      continue;
    }
    backoff.reset();
    await spool.store(finished);
  }
}

function idleText(kind: 'idle' | 'permanent' | 'temporary'): string {
  return kind === 'idle' ? 'no action to run' : 'unexpected answer from the server';
}

/** Returns undefined if the server did not accept the start report. Then the action does not start. */
async function runAction(
  assignment: Assignment,
  dependencies: AgentDependencies,
): Promise<FinishedAction | undefined> {
  const { action, attempt, cancelled, output } = assignment;
  const { client, clock, settings } = dependencies;
  const log = dependencies.log.child({ action: action.name });
  const startedMs = clock.nowMs();
  // Some servers omit the agent's id in the response.
  const known = action.agentId === '' ? { ...action, agentId: settings.id } : action;
  const accepted = await client.report(runningReport(known, startedMs, 'running action'), attempt);
  if (!accepted.ok) {
    log.warn('action not started: the server did not accept the report', { reason: accepted.error });
    return undefined;
  }
  log.info('started', { image: action.image, workflow: action.workflowId });
  const progress = createProgressReporter({ client, clock, action: known, attempt, startedMs });
  const order = orderFor(action, settings);
  const end =
    order.execution.kind === 'wait-daemon'
      ? endOfWaitDaemon(order, Number(action.timeout), settings)
      : endOf(
          await runInProcess({
            order,
            processEnvironment: dependencies.actionEnvironment(),
            timeoutSeconds: Number(action.timeout),
            clock,
            log,
            cancelled,
            onLine: output.write,
            onProgress(step) {
              log.info(step.message);
              output.write('progress', step.message);
              progress.take(step);
            },
          }),
          Number(action.timeout),
        );
  await Promise.all([progress.settled(), output.settled()]);
  const endedMs = Math.max(clock.nowMs(), startedMs);
  log.info(end.state === 'SUCCESS' ? 'succeeded' : end.state.toLowerCase(), { message: end.message });
  const { workflowId, agentId, taskId, actionId, name: actionName_ } = known;
  const secrets = secretsOf(order.environment);
  return {
    workflowId,
    agentId,
    taskId,
    actionId,
    actionName: actionName_,
    attempt,
    startedMs,
    endedMs,
    ...end,
    message: redacted(end.message, secrets),
  };
}

type End = Pick<FinishedAction, 'state' | 'message'> & { readonly followUp?: FollowUp };

function endOf(outcome: ActionOutcome, timeoutSeconds: number): End {
  switch (outcome.ok) {
    case 'timeout':
      return {
        state: 'TIMEOUT',
        message: `the action did not end within its timeout of ${timeoutSeconds} s`,
      };
    case 'cancelled':
      return { state: 'FAILED', message: `stopped: ${outcome.reason}` };
    case false:
      return { state: 'FAILED', message: outcome.error };
    case true: {
      const { message, afterReport } = outcome;
      if (afterReport === undefined) return { state: 'SUCCESS', message };
      return { state: 'SUCCESS', message, followUp: { kind: 'machine', effect: afterReport } };
    }
    default:
      return outcome satisfies never;
  }
}

function endOfWaitDaemon(order: ActionOrder, timeoutSeconds: number, settings: Settings): End {
  const result = waitDaemonOrder(order, { timeoutSeconds, settings });
  if (!result.ok) return { state: 'FAILED', message: result.error };
  return { state: 'SUCCESS', message: 'accepted, runs in the background', followUp: result.followUp };
}

/** Reports the spooled result until the server accepts it, then runs its follow-up. */
async function deliverPending(dependencies: AgentDependencies, backoff: Backoff): Promise<void> {
  const { client, clock, spool, log, signal } = dependencies;
  const finished = await spool.pending();
  if (finished === undefined) return;
  while (!signal.aborted) {
    const answer = await client.report(finalReport(finished), finished.attempt);
    if (answer.ok) {
      backoff.reset();
      await spool.clear();
      if (finished.followUp !== undefined) await performFollowUp(finished.followUp, dependencies);
      return;
    }
    if (answer.kind !== 'temporary') {
      log.error('the server permanently rejected the result', {
        action: finished.actionName,
        reason: answer.error,
      });
      await spool.clear();
      return;
    }
    log.warn('the server did not accept the result; retrying', { reason: answer.error });
    await delay(clock, backoff.nextMs(), signal);
  }
}
