/**
 * GetWorkflowContexts and GetWorkflowActions of the legacy protocol (tink v0.10, server/kubernetes_api_workflow.go). The worker
 * finds the current action in the list by its index, reports RUNNING, and executes it. It continues with the next ones by itself,
 * each with a RUNNING report. So these calls assign nothing: that report does.
 */
import { create } from '@bufbuild/protobuf';
import {
  State,
  WorkflowActionListSchema,
  WorkflowContextSchema,
  type WorkflowActionList,
  type WorkflowActionsRequest,
  type WorkflowContext,
  type WorkflowContextRequest,
} from '@tinkerbell/api/legacy-agent';
import type { Workflow } from '@tinkerbell/resources';
import { currentActionOf, handedOutOf, isTerminal, type ActionPlace } from '@tinkerbell/workflow';
import { actionResponse } from '../agent-messages.ts';
import { applyWorkflowEvent } from '@tinkerbell/engine-workflow-events';
import { actionRequested } from '../action-requested.ts';
import type { Sender } from '../grpc/calls.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import { workflowsFor, type Speaker } from '../identity/agent-door.ts';
import type { ReportDeps } from '../report-action-status.ts';
import { flatActions } from './flat-actions.ts';

export type LegacyDeps = ReportDeps;

/** Lists each workflow in which it is this worker's turn, once: the running one first, else the oldest. */
export async function getWorkflowContexts(
  deps: LegacyDeps,
  { workerId }: WorkflowContextRequest,
  { out, speaker }: { readonly out: Sender<WorkflowContext>; readonly speaker: Speaker },
): Promise<void> {
  if (workerId === '') throw new RpcError('invalid-argument', 'invalid worker id');
  deps.sessions.fence(workerId);
  const workflows = workflowsFor(speaker, deps.view.workflowsByAgent(workerId));
  const ofState = (state: string) => workflows.filter((one) => one.status?.state === state);
  for (const workflow of [...ofState('RUNNING'), ...ofState('PENDING')]) {
    const context = await contextFor(deps, workflow, workerId);
    if (context === undefined) continue;
    await deps.door.bind(speaker, workerId, workflow);
    await out.send(context);
    // A session is for one workflow.
    if (speaker.session !== undefined) return;
  }
}

async function contextFor(
  deps: LegacyDeps,
  workflow: Workflow,
  workerId: string,
): Promise<WorkflowContext | undefined> {
  const status = workflow.status ?? {};
  const place = status.paused === true ? undefined : currentActionOf(status);
  if (place?.task.agentID !== workerId || isBackingOff(place, deps)) return undefined;
  if (place.action.state !== 'RUNNING') return contextOf(workflow, place);
  // A worker calls this only between actions, so it was restarted during this one.
  const again = await servedAgain(deps, workflow, workerId);
  const next = handedOutOf(again?.status ?? {});
  return again === undefined || next === undefined ? undefined : contextOf(again, next);
}

function isBackingOff({ action: { notBefore } }: ActionPlace, { clock }: LegacyDeps): boolean {
  return notBefore !== undefined && Date.parse(notBefore) > clock.nowMs();
}

/** The new attempt is durable before the worker receives it. */
async function servedAgain(
  deps: LegacyDeps,
  workflow: Workflow,
  workerId: string,
): Promise<Workflow | undefined> {
  const applied = await applyWorkflowEvent(deps, workflow.metadata, actionRequested(deps.view, workerId));
  if (!applied.ok) {
    if (applied.kind === 'refused' || applied.kind === 'not-found') return undefined;
    throw new RpcError('unavailable', applied.message);
  }
  const { before, after } = applied;
  const place = handedOutOf(after.status ?? {});
  if (place === undefined) deps.timeline.stateChanged(before, after);
  else deps.timeline.actionServed(after, place, { agentId: workerId });
  return after;
}

/** Never STATE_RUNNING: the worker would execute the action again without a report. */
function contextOf(workflow: Workflow, { task, action }: ActionPlace): WorkflowContext {
  const actions = flatActions(workflow.status ?? {});
  return create(WorkflowContextSchema, {
    workflowId: `${workflow.metadata.namespace}/${workflow.metadata.name}`,
    currentWorker: task.agentID,
    currentTask: task.name,
    currentAction: action.name ?? '',
    currentActionIndex: BigInt(actions.findIndex((one) => one.action.id === action.id)),
    currentActionState: State.PENDING,
    totalNumberOfActions: BigInt(actions.length),
  });
}

/** Lists all actions of all tasks, each with its worker. The worker skips those of others. */
export function getWorkflowActions(
  deps: LegacyDeps,
  { workflowId }: WorkflowActionsRequest,
): WorkflowActionList {
  if (workflowId === '') throw new RpcError('invalid-argument', 'invalid workflow id');
  const [namespace = '', ...name] = workflowId.split('/');
  const workflow = deps.view.workflowNamed(namespace, name.join('/'));
  if (workflow === undefined || isTerminal(workflow.status?.state))
    throw new RpcError('not-found', `no workflow ${workflowId} that has not ended`);
  const actionList = flatActions(workflow.status ?? {}).map((place) => {
    const { $typeName: _, ...fields } = actionResponse(workflow, place, deps.clock.nowMs());
    const { name: action, image, timeout, command, volumes, environment, pid } = fields;
    const { name: taskName, agentID: workerId } = place.task;
    return { taskName, name: action, image, timeout, command, volumes, environment, pid, workerId };
  });
  return create(WorkflowActionListSchema, { actionList });
}
