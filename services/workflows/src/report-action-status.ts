/**
 * ReportActionStatus records the result of an action. A report that changes nothing (a repeated or late one) is acknowledged and
 * recorded. Only a start that must not happen, or an unknown action, is refused, because upstream's agent exits when a final
 * report is refused.
 */
import { create } from '@bufbuild/protobuf';
import {
  ActionStatusResponseSchema,
  type ActionStatusRequest,
  type ActionStatusResponse,
} from '@tinkerbell/api/agent';
import { redacted, secretsOf } from '@tinkerbell/api/redaction';
import type { Workflow } from '@tinkerbell/resources';
import type { NamespacedName, Updated, View } from '@tinkerbell/store-contract';
import { actionAt, isTerminal, type ActionPlace, type ActionReport, type Reason } from '@tinkerbell/workflow';
import { actionRequested, nextWorkflowOf } from './action-requested.ts';
import { parseReport, type ParsedReport } from './agent-messages.ts';
import { applyWorkflowEvents, type ApplyDeps, type EventOf } from '@tinkerbell/engine-workflow-events';
import { RpcError } from './grpc/rpc-error.ts';
import type { WorkflowsMetrics } from './metrics.ts';
import type { AgentDoor } from './identity/agent-door.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Timeline } from './timeline.ts';

export interface ReportDeps extends ApplyDeps {
  readonly view: View;
  readonly timeline: Timeline;
  readonly sessions: Sessions;
  readonly metrics: Pick<WorkflowsMetrics, 'reports'>;
  readonly door: AgentDoor;
}

/** This server's ids have 36 characters. */
const SHOWN_ID_LENGTH_MAX = 64;
/** Every report writes the whole status. */
const MESSAGE_LENGTH_MAX = 8192;

/** Rejects with an RpcError. When it resolves, the report is durable. */
export async function reportActionStatus(
  deps: ReportDeps,
  request: ActionStatusRequest,
): Promise<ActionStatusResponse> {
  const parsed = parseReport(request);
  if (!parsed.ok) throw new RpcError('invalid-argument', parsed.message);
  if (deps.sessions.hasLive(parsed.report.agentId)) {
    refuseFenced(deps, parsed.workflow, parsed.report);
    if (!isTerminal(parsed.report.state))
      throw new RpcError('failed-precondition', 'another agent with this id has taken over');
    return create(ActionStatusResponseSchema, {});
  }
  await recordReport(deps, parsed.workflow, { ...parsed, following: nextActionOf(deps, parsed) });
  return create(ActionStatusResponseSchema, {});
}

/**
 * Assigns the next action in the write that records a success. The agent requests it at once, and then gets it without another write.
 */
function nextActionOf(
  { view }: ReportDeps,
  { workflow, report }: Extract<ParsedReport, { ok: true }>,
): EventOf | undefined {
  const { agentId, state } = report;
  if (state !== 'SUCCESS') return undefined;
  const isNext = nextWorkflowOf(view.workflowsByAgent(agentId), agentId, workflow) !== undefined;
  return isNext ? actionRequested(view, agentId) : undefined;
}

/** What became of a report: the workflow before and after it, or the reason why it changed nothing. */
export type Recorded =
  | { readonly before: Workflow; readonly after: Workflow }
  | { readonly unchanged: Reason | undefined };

/** `following` is applied in the same write, as in `applyWorkflowEvents`. Rejects with an RpcError. */
export async function recordReport(
  deps: ReportDeps,
  workflow: NamespacedName,
  { report: given, following }: { readonly report: ActionReport; readonly following?: EventOf | undefined },
): Promise<Recorded> {
  const arrivedMs = deps.clock.monotonicMs();
  const report = shortened(withoutSecrets(deps, workflow, given));
  const applied = await applyWorkflowEvents(deps, workflow, {
    event: { kind: 'action-reported', report },
    following,
  });
  countReport(deps, applied);
  if (applied.ok) {
    const { before, after } = applied;
    const place = actionAt(after.status ?? {}, report.agentId, report.actionId);
    if (place !== undefined) deps.timeline.actionReported({ before, after, arrivedMs }, place);
    return { before, after };
  }
  refuseOrRecord(deps, report, applied);
  return { unchanged: applied.kind === 'refused' ? applied.refusal : undefined };
}

/** Runs after the secrets are removed, so that no part of one is left at the end. */
function shortened(report: ActionReport): ActionReport {
  const { message } = report;
  return message === undefined ? report : { ...report, message: message.slice(0, MESSAGE_LENGTH_MAX) };
}

/** Records the report of a fenced agent, and that it changes nothing. */
export function refuseFenced(
  deps: ReportDeps,
  { namespace, name }: NamespacedName,
  report: ActionReport,
): void {
  deps.metrics.reports.add({ outcome: 'fenced' });
  const workflow = deps.view.workflowNamed(namespace, name);
  const place = actionAt(workflow?.status ?? {}, report.agentId, report.actionId);
  if (workflow === undefined || place === undefined) return;
  deps.timeline.reportRefused(workflow, place, { state: report.state, reason: 'fenced' });
}

function countReport({ metrics }: ReportDeps, applied: Updated<Reason>): void {
  metrics.reports.add({ outcome: outcomeOf(applied) });
}

function outcomeOf(applied: Updated<Reason>): string {
  if (applied.ok) return 'recorded';
  const isRepeat = applied.kind === 'refused' && applied.refusal === 'already-reported';
  return isRepeat ? 'repeated' : applied.kind;
}

/** The action's failure message may quote its environment. */
function withoutSecrets(
  { view }: ReportDeps,
  { namespace, name }: NamespacedName,
  report: ActionReport,
): ActionReport {
  if (report.message === undefined || report.message === '') return report;
  const place = actionAt(view.workflowNamed(namespace, name)?.status ?? {}, report.agentId, report.actionId);
  if (place === undefined) return report;
  const secrets = secretsOf({ ...place.task.environment, ...place.action.environment });
  return { ...report, message: redacted(report.message, secrets) };
}

function refuseOrRecord(
  deps: ReportDeps,
  report: ActionReport,
  applied: Extract<Updated<Reason, Workflow>, { ok: false }>,
): void {
  if (applied.kind !== 'refused') {
    refuseUnread(report, applied);
    return;
  }
  const { refusal: reason } = applied;
  const workflow = applied.object;
  const place = actionAt(workflow.status ?? {}, report.agentId, report.actionId);
  if (place === undefined) throw new RpcError('not-found', 'action not found');
  if (reason === 'already-reported') {
    if (report.state === 'RUNNING') deps.timeline.actionProgressed(workflow, place, report.message ?? '');
    return;
  }
  deps.timeline.reportRefused(workflow, place, { state: report.state, reason });
  // Agents do not confuse tasks by themselves. The report is forged or about another workflow, so it must not
  // be acknowledged.
  if (reason === 'another-task') throw wrongTask(report, place);
  if (!isTerminal(report.state)) {
    throw new RpcError('failed-precondition', `action ${place.action.name ?? ''} must not start: ${reason}`);
  }
}

function wrongTask({ taskId, actionId }: ActionReport, { task }: ActionPlace): RpcError {
  const quoted = JSON.stringify(taskId.slice(0, SHOWN_ID_LENGTH_MAX));
  const message = `task_id ${quoted} is not the task of action ${actionId}, which is "${task.id}"; report with the task_id of GetAction`;
  return new RpcError('invalid-argument', message);
}

/** The end of an action whose workflow was deleted is acknowledged: nobody waits for it, and its agent must not hang. */
function refuseUnread(report: ActionReport, failure: { kind: string; message: string }): void {
  if (failure.kind !== 'not-found') throw new RpcError('unavailable', failure.message);
  if (!isTerminal(report.state)) throw new RpcError('internal', `error getting workflow: ${failure.message}`);
}
