/** The agent's loop: ask for an action, run it, report it until acknowledged, again. */
import type { ActionResponse } from '@tinkerbell/api/agent';
import { redacted, secretsOf } from '@tinkerbell/api/redaction';
import { delay } from '@tinkerbell/platform-contract';

import { runInProcess, type ActionOutcome } from './action-process.ts';
import type { ActionOrder } from './action-runner.ts';
import { createBackoff, type Backoff } from './backoff.ts';
import { actionName, WAIT_DAEMON } from './built-in-actions.ts';
import { environmentOf } from './environment-of.ts';
import { performFollowUp, waitDaemonOrder } from './follow-up.ts';
import { createProgressReporter } from './progress-reporter.ts';
import { finalReport, runningReport } from './report.ts';
import type { Assignment } from './assignment.ts';
import type { AgentDependencies } from './agent-dependencies.ts';
import type { FinishedAction, FollowUp } from './spool.ts';

/** Runs until the signal aborts. A report left over from a crash goes out before anything new is asked for. */
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
      // The same answer every few seconds is worth one line.
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
  return kind === 'idle' ? 'nothing to do yet' : 'the server does not answer as it should';
}

/** Undefined when the server could not be told that the action starts: then it is not started. */
async function runAction(
  assignment: Assignment,
  dependencies: AgentDependencies,
): Promise<FinishedAction | undefined> {
  const { action, attempt, cancelled, output } = assignment;
  const { client, clock, settings } = dependencies;
  const log = dependencies.log.child({ action: action.name });
  const startedMs = clock.nowMs();
  // Some servers leave the agent's id out of the answer.
  const known = action.agentId === '' ? { ...action, agentId: settings.id } : action;
  const accepted = await client.report(runningReport(known, startedMs, 'running action'), attempt);
  if (!accepted.ok) {
    log.warn('not started: the server did not take the report', { reason: accepted.error });
    return undefined;
  }
  log.info('started', { image: action.image, workflow: action.workflowId });
  const progress = createProgressReporter({ client, clock, action: known, attempt, startedMs });
  const order = orderFor(action);
  const end =
    actionName(action.image) === WAIT_DAEMON
      ? endOfWaitDaemon(order, Number(action.timeout))
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

function endOfWaitDaemon(order: ActionOrder, timeoutSeconds: number): End {
  const result = waitDaemonOrder(order, timeoutSeconds);
  if (!result.ok) return { state: 'FAILED', message: result.error };
  return { state: 'SUCCESS', message: 'accepted, runs in the background', followUp: result.followUp };
}

function orderFor(action: ActionResponse): ActionOrder {
  return { image: action.image, command: action.command, environment: environmentOf(action) };
}

/** Reports the spooled result until the server takes it, then does what was to follow. */
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
      log.error('the server refuses the result for good', {
        action: finished.actionName,
        reason: answer.error,
      });
      await spool.clear();
      return;
    }
    log.warn('the server did not take the result, trying again', { reason: answer.error });
    await delay(clock, backoff.nextMs(), signal);
  }
}
