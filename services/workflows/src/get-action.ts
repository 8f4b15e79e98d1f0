/**
 * GetAction returns the next action of an agent. The assignment is durable before it is sent: it is written here, or was with the report
 * of the action before. The call is held until there is an action.
 */
import type { ActionRequest, ActionResponse } from '@tinkerbell/api/agent';
import type { EnrollmentRefusal } from '@tinkerbell/enrollment';
import type { Workflow } from '@tinkerbell/resources';
import { workflowCollection } from '@tinkerbell/store-contract';
import {
  assignedTo,
  chooseWorkflow,
  currentActionOf,
  handedOutOf,
  type ActionPlace,
  type NothingToDo,
} from '@tinkerbell/workflow';
import { actionResponse } from './agent-messages.ts';
import { annotateHardware } from './annotate-hardware.ts';
import { applyWorkflowEvent } from '@tinkerbell/engine-workflow-events';
import { actionRequested, hardwareUidOf } from './action-requested.ts';
import { discover } from './discover.ts';
import { enroll } from './enroll.ts';
import type { Ending } from './ending.ts';
import { Hold, type HoldDeps } from './hold.ts';
import type { Newcomer, NewcomerDeps } from './newcomers.ts';
import { RpcError } from './grpc/rpc-error.ts';
import { workflowsFor, type Speaker } from './identity/agent-door.ts';
import type { ReportDeps } from './report-action-status.ts';
import type { WaitingAgents } from './waiting-agents.ts';

export interface GetActionDeps extends ReportDeps, NewcomerDeps, HoldDeps {
  readonly waiting: WaitingAgents;
}

/** Rejects with an RpcError that carries upstream's code and message. `admit` is checked again before an action is assigned. */
export async function getAction(
  deps: GetActionDeps,
  request: ActionRequest,
  { ending, admit }: { readonly ending: Ending; readonly admit: () => Promise<Speaker> },
): Promise<ActionResponse> {
  const { agentId } = request;
  if (agentId === '') throw new RpcError('invalid-argument', 'invalid Agent ID');
  let speaker = await admit();
  deps.sessions.fence(agentId);
  using hold = new Hold(deps, ending);
  const newcomer = await discover(deps, request);
  for (;;) {
    hold.listen(deps.waiting, agentId);
    const offered = await offerAction(deps, newcomer, { speaker });
    if ('place' in offered) return actionResponse(offered.workflow, offered.place, deps.clock.nowMs());
    const end = await hold.wait();
    if (end === 'ended') throw new RpcError('unavailable', 'server shutting down');
    if (end === 'time') throw new RpcError(offered.nothing.code, offered.nothing.message);
    speaker = await admit();
  }
}

export type Offered =
  | { readonly workflow: Workflow; readonly place: ActionPlace }
  | { readonly nothing: NothingToDo | EnrollmentRefusal };

/** Returns the next action of an agent, with the durable record of its assignment (in this session, if it has one). */
export async function offerAction(
  deps: GetActionDeps,
  newcomer: Newcomer,
  { speaker, sessionId }: { readonly speaker: Speaker; readonly sessionId?: string },
): Promise<Offered> {
  const { agentId } = newcomer;
  const all = deps.view.workflowsByAgent(agentId);
  const choice = chooseWorkflow(workflowsFor(speaker, all), agentId);
  if ('nothing' in choice) {
    const isBusy = all.length > 0 || speaker.session?.workflow !== undefined;
    return isBusy ? choice : { nothing: (await enroll(deps, newcomer)) ?? choice.nothing };
  }
  await deps.door.bind(speaker, agentId, choice.workflow);
  const { workflow } = choice;
  const assigned = await assignedBefore(deps, workflow, agentId);
  if (assigned !== undefined) {
    deps.timeline.actionHandedOver(workflow, assigned, { agentId, sessionId });
    return handOut(deps, newcomer, { workflow, place: assigned });
  }
  const event = actionRequested(deps.view, agentId);
  const applied = await applyWorkflowEvent(deps, workflow.metadata, event);
  if (applied.ok) return served(deps, { newcomer, sessionId }, applied);
  if (applied.kind === 'refused')
    return { nothing: { code: 'failed-precondition', message: applied.refusal } };
  throw new RpcError(applied.kind === 'not-found' ? 'not-found' : 'unavailable', applied.message);
}

/** Returns the action that was assigned with the success of the one before. The view has only what is durable. */
async function assignedBefore(
  { store, view }: GetActionDeps,
  workflow: Workflow,
  agentId: string,
): Promise<ActionPlace | undefined> {
  const { metadata, status = {} } = workflow;
  const place = assignedTo(status, agentId);
  if (place === undefined) return undefined;
  const hardwareUid = hardwareUidOf(view, workflow);
  if (hardwareUid !== undefined && hardwareUid !== status.hardwareUID) return undefined;
  // The view may be behind what another server has written.
  const stored = await workflowCollection.get(store, metadata);
  return stored?.object.metadata.resourceVersion === metadata.resourceVersion ? place : undefined;
}

interface Applied {
  readonly before: Workflow;
  readonly after: Workflow;
}

async function served(
  deps: GetActionDeps,
  { newcomer, sessionId }: { newcomer: Newcomer; sessionId: string | undefined },
  { before, after }: Applied,
): Promise<Offered> {
  const { agentId } = newcomer;
  const place = handedOutOf(after.status ?? {});
  if (place === undefined) {
    // The agent reconnected during an action whose template requires it to fail or ask.
    deps.timeline.stateChanged(before, after);
    return { nothing: { code: 'failed-precondition', message: 'interrupted' } };
  }
  const attempt = place.action.attempt ?? 1;
  const attemptBefore = currentActionOf(before.status ?? {})?.action.attempt ?? 0;
  if (attempt > attemptBefore) deps.timeline.actionServed(after, place, { agentId, sessionId });
  return handOut(deps, newcomer, { workflow: after, place });
}

async function handOut(
  deps: GetActionDeps,
  { attributes, hardware }: Newcomer,
  next: { readonly workflow: Workflow; readonly place: ActionPlace },
): Promise<Offered> {
  await annotateHardware(deps, { ...next, hardware, attributes });
  return next;
}
