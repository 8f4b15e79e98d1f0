/** GetAction: the next action of an agent, durable before it is given; held until there is one. */
import type { ActionRequest, ActionResponse } from '@tinkerbell/api/agent';
import type { EnrollmentRefusal } from '@tinkerbell/enrollment';
import type { Workflow } from '@tinkerbell/resources';
import { chooseWorkflow, currentActionOf, handedOutOf, type NothingToDo } from '@tinkerbell/workflow';
import { actionResponse } from './agent-messages.ts';
import { annotateHardware } from './annotate-hardware.ts';
import { applyEvent, workflowCollection, type ApplyDeps } from './apply-event.ts';
import { discover } from './discover.ts';
import { enroll } from './enroll.ts';
import type { Newcomer, NewcomerDeps } from './newcomers.ts';
import { RpcError } from './grpc/rpc-error.ts';
import type { Timeline } from './timeline.ts';
import type { WaitingAgents } from './waiting-agents.ts';

export interface GetActionDeps extends ApplyDeps, NewcomerDeps {
  readonly waiting: WaitingAgents;
  readonly timeline: Timeline;
  /** How long a call is held when there is nothing; upstream holds 60 s. */
  readonly holdMs: number;
}

/** Rejects with an RpcError that carries upstream's code and message. */
export async function getAction(
  deps: GetActionDeps,
  request: ActionRequest,
  signal: AbortSignal,
): Promise<ActionResponse> {
  const { agentId } = request;
  if (agentId === '') throw new RpcError('invalid-argument', 'invalid Agent ID');
  const holding = new AbortController();
  const stopHolding = (): void => holding.abort();
  const cancel = deps.clock.schedule(deps.holdMs, stopHolding);
  signal.addEventListener('abort', stopHolding, { once: true });
  try {
    const newcomer = await discover(deps, request);
    for (;;) {
      // Listening begins before looking, so that no change falls in between.
      const changed = deps.waiting.wait(agentId, holding.signal);
      const offered = await offer(deps, newcomer);
      if ('response' in offered) return offered.response;
      await changed;
      if (signal.aborted) throw new RpcError('unavailable', 'server shutting down');
      if (holding.signal.aborted) throw new RpcError(offered.nothing.code, offered.nothing.message);
    }
  } finally {
    cancel();
    stopHolding();
    signal.removeEventListener('abort', stopHolding);
  }
}

type Nothing = NothingToDo | EnrollmentRefusal;

async function offer(
  deps: GetActionDeps,
  newcomer: Newcomer,
): Promise<{ response: ActionResponse } | { nothing: Nothing }> {
  const { agentId } = newcomer;
  const workflows = deps.view.workflowsByAgent(agentId);
  const choice = chooseWorkflow(workflows, agentId);
  if ('nothing' in choice)
    return workflows.length > 0 ? choice : { nothing: (await enroll(deps, newcomer)) ?? choice.nothing };
  const { namespace, name } = choice.workflow.metadata;
  const applied = await applyEvent(
    deps,
    { collection: workflowCollection, namespace, name },
    { kind: 'action-requested', agentId },
  );
  if (applied.ok) return served(deps, newcomer, applied.before as Workflow, applied.after as Workflow);
  if (applied.kind === 'refused')
    return { nothing: { code: 'failed-precondition', message: applied.refusal } };
  throw new RpcError(applied.kind === 'not-found' ? 'not-found' : 'unavailable', applied.message);
}

async function served(
  deps: GetActionDeps,
  { agentId, attributes, hardware }: Newcomer,
  before: Workflow,
  after: Workflow,
): Promise<{ response: ActionResponse } | { nothing: Nothing }> {
  const place = handedOutOf(after.status ?? {});
  if (place === undefined) {
    // The agent came back in the middle of an action whose template has it fail or ask.
    deps.timeline.stateChanged(before, after);
    return { nothing: { code: 'failed-precondition', message: 'interrupted' } };
  }
  const attempt = place.action.attempt ?? 1;
  const attemptBefore = currentActionOf(before.status ?? {})?.action.attempt ?? 0;
  if (attempt > attemptBefore) deps.timeline.actionServed(after, place, agentId);
  await annotateHardware(deps, { workflow: after, place, hardware, attributes });
  return { response: actionResponse(after, place) };
}
