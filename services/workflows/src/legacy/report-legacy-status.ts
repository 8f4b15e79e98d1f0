/** ReportActionStatus of the legacy protocol. Actions are identified by name, and RUNNING takes an action. */
import { State, type WorkflowActionStatus } from '@tinkerbell/api/legacy-agent';
import type { Workflow } from '@tinkerbell/resources';
import { currentActionOf, handedOutOf, type ActionPlace, type ActionState } from '@tinkerbell/workflow';
import { applyWorkflowEvent } from '@tinkerbell/engine-workflow-events';
import { workflowCollection } from '@tinkerbell/store-contract';
import { actionRequested } from '../action-requested.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import { recordReport } from '../report-action-status.ts';
import { flatActions } from './flat-actions.ts';
import type { LegacyDeps } from './workflow-contexts.ts';

const stateNames: Readonly<Record<number, ActionState>> = {
  [State.PENDING]: 'PENDING',
  [State.RUNNING]: 'RUNNING',
  [State.FAILED]: 'FAILED',
  [State.TIMEOUT]: 'TIMEOUT',
  [State.SUCCESS]: 'SUCCESS',
};

/** Rejects with an RpcError that carries upstream's text. When it resolves, the report is durable. */
export async function reportLegacyStatus(deps: LegacyDeps, request: WorkflowActionStatus): Promise<void> {
  const { workflowId, taskName, actionName } = request;
  if (workflowId === '') throw new RpcError('invalid-argument', 'invalid workflow id');
  if (taskName === '') throw new RpcError('invalid-argument', 'invalid task name');
  if (actionName === '') throw new RpcError('invalid-argument', 'invalid action name');
  const state = stateNames[request.actionStatus];
  if (state === undefined)
    throw new RpcError('invalid-argument', `invalid action status ${request.actionStatus}`);
  const [namespace = '', ...name] = workflowId.split('/');
  const stored = { namespace, name: name.join('/') };
  const workflow = (await workflowCollection.get(deps.store, stored))?.object;
  if (workflow === undefined) {
    // No one waits for the end of an action whose workflow was deleted.
    if (state !== 'RUNNING') return;
    throw new RpcError('not-found', `no workflow ${workflowId}`);
  }
  const place = placeOf(workflow, request, state);
  const agentId = request.workerId || place.task.agentID;
  if (state === 'RUNNING') await take(deps, workflow, agentId);
  const report = {
    agentId,
    taskId: place.task.id,
    actionId: place.action.id,
    state,
    executionDuration: state === 'RUNNING' ? '' : `${request.seconds}s`,
    message: request.message,
  };
  await recordReport(deps, stored, { report });
}

/** Returns the current action. For a late or repeated final report, it returns the action that the report names. */
function placeOf(
  workflow: Workflow,
  { taskName, actionName }: WorkflowActionStatus,
  state: ActionState,
): ActionPlace {
  const status = workflow.status ?? {};
  const current = currentActionOf(status);
  const isNamed = ({ task, action }: ActionPlace): boolean =>
    task.name === taskName && action.name === actionName;
  if (current !== undefined && isNamed(current)) return current;
  const named = flatActions(status).find(isNamed);
  const hasBegun = (named?.action.attempt ?? 0) > 0;
  if (named !== undefined && hasBegun && state !== 'RUNNING') return named;
  const what = current !== undefined && current.task.name === taskName ? 'action' : 'task';
  throw new RpcError('invalid-argument', `reported ${what} name does not match the current action details`);
}

/** Records the attempt, unless the report is a repetition. A restarted worker has requested contexts before. */
async function take(deps: LegacyDeps, workflow: Workflow, agentId: string): Promise<void> {
  if (currentActionOf(workflow.status ?? {})?.action.state === 'RUNNING') return;
  const applied = await applyWorkflowEvent(deps, workflow.metadata, actionRequested(deps.view, agentId));
  if (!applied.ok) {
    if (applied.kind === 'refused')
      throw new RpcError('failed-precondition', `action must not start: ${applied.refusal}`);
    throw new RpcError('unavailable', applied.message);
  }
  const { after } = applied;
  const place = handedOutOf(after.status ?? {});
  if (place !== undefined) deps.timeline.actionServed(after, place, { agentId });
}
