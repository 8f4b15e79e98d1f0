/**
 * ReportActionStatus: what became of an action. A report that changes nothing (a repeat, a late one) is
 * acknowledged and recorded; only a start that must not happen, or an action nobody knows, is refused, because
 * upstream's agent ends when a final report is refused.
 */
import { create } from '@bufbuild/protobuf';
import {
  ActionStatusResponseSchema,
  type ActionStatusRequest,
  type ActionStatusResponse,
} from '@tinkerbell/api/agent';
import type { Workflow } from '@tinkerbell/resources';
import type { ObjectKey, Updated } from '@tinkerbell/store-contract';
import { actionAt, isTerminal, type ActionReport, type Reason } from '@tinkerbell/workflow';
import { parseReport } from './agent-messages.ts';
import { applyEvent, workflowCollection, type ApplyDeps } from './apply-event.ts';
import { RpcError } from './grpc/rpc-error.ts';
import type { Timeline } from './timeline.ts';

export interface ReportDeps extends ApplyDeps {
  readonly timeline: Timeline;
}

/** Rejects with an RpcError. When it resolves, the report is durable. */
export async function reportActionStatus(
  deps: ReportDeps,
  request: ActionStatusRequest,
): Promise<ActionStatusResponse> {
  const parsed = parseReport(request);
  if (!parsed.ok) throw new RpcError('invalid-argument', parsed.message);
  await recordReport(deps, { collection: workflowCollection, ...parsed.workflow }, parsed.report);
  return create(ActionStatusResponseSchema, {});
}

/** Undefined when the report changed the workflow, else why it did not. Rejects with an RpcError. */
export async function recordReport(
  deps: ReportDeps,
  key: ObjectKey,
  report: ActionReport,
): Promise<Reason | undefined> {
  const applied = await applyEvent(deps, key, { kind: 'action-reported', report });
  if (applied.ok) {
    const place = actionAt((applied.after as Workflow).status ?? {}, report.agentId, report.actionId);
    if (place !== undefined)
      deps.timeline.actionReported(applied.before as Workflow, applied.after as Workflow, place);
    return undefined;
  }
  refuseOrRecord(deps, report, applied);
  return applied.kind === 'refused' ? applied.refusal : undefined;
}

function refuseOrRecord(
  deps: ReportDeps,
  report: ActionReport,
  applied: Extract<Updated<Reason>, { ok: false }>,
): void {
  if (applied.kind !== 'refused') {
    refuseUnread(report, applied);
    return;
  }
  const { refusal: reason } = applied;
  const workflow = applied.object as Workflow;
  const place = actionAt(workflow.status ?? {}, report.agentId, report.actionId);
  if (place === undefined) throw new RpcError('not-found', 'action not found');
  if (reason === 'already-reported') {
    if (report.state === 'RUNNING') deps.timeline.actionProgressed(workflow, place, report.message ?? '');
    return;
  }
  deps.timeline.reportRefused(workflow, place, { state: report.state, reason });
  if (!isTerminal(report.state)) {
    throw new RpcError('failed-precondition', `action ${place.action.name ?? ''} must not start: ${reason}`);
  }
}

/** The end of an action whose workflow was deleted is acknowledged: nobody waits for it, and its agent must not hang on it. */
function refuseUnread(report: ActionReport, failure: { kind: string; message: string }): void {
  if (failure.kind !== 'not-found') throw new RpcError('unavailable', failure.message);
  if (!isTerminal(report.state)) throw new RpcError('internal', `error getting workflow: ${failure.message}`);
}
