/** Calls of the legacy protocol name a workflow, but not always a worker. They count as calls of the workflow's agents. */
import type { WorkflowActionStatus, WorkflowActionsRequest } from '@tinkerbell/api/legacy-agent';
import type { Caller } from '../grpc/calls.ts';
import type { LegacyDeps } from './workflow-contexts.ts';

/** Rejects with an RpcError. */
export async function admitLegacyRead(
  deps: LegacyDeps,
  { workflowId }: WorkflowActionsRequest,
  caller: Caller,
): Promise<void> {
  await deps.door.admitOneOf(caller, agentsOf(deps, workflowId), { workflowId, purpose: 'read' });
}

/** Rejects with an RpcError. */
export async function admitLegacyReport(
  deps: LegacyDeps,
  { workflowId, workerId, taskName }: WorkflowActionStatus,
  caller: Caller,
): Promise<void> {
  const agents = workerId === '' ? agentsOf(deps, workflowId, taskName) : [workerId];
  await deps.door.admitOneOf(caller, agents, { workflowId, purpose: 'report' });
}

function agentsOf({ view }: LegacyDeps, workflowId: string, taskName?: string): readonly string[] {
  const [namespace = '', ...name] = workflowId.split('/');
  const tasks = view.workflowNamed(namespace, name.join('/'))?.status?.tasks ?? [];
  const named = tasks.filter(({ name: task }) => taskName === undefined || task === taskName);
  return [...new Set(named.map(({ agentID }) => agentID))];
}
