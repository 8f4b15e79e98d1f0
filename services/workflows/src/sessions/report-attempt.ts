/** Report works like ReportActionStatus, for one attempt and from a session. */
import { create } from '@bufbuild/protobuf';
import {
  ReportResponse_Outcome as Outcome,
  ReportResponseSchema,
  type ReportRequest,
  type ReportResponse,
} from '@tinkerbell/api/agent-v1';
import { ActionStatusRequestSchema, type ActionStatusRequest } from '@tinkerbell/api/agent';
import type { NamespacedName } from '@tinkerbell/store-contract';
import { isTerminal, type ActionReport } from '@tinkerbell/workflow';
import { parseReport } from '../agent-messages.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Admit } from '../identity/agent-door.ts';
import { recordReport, refuseFenced, type Recorded, type ReportDeps } from '../report-action-status.ts';
import { attemptKey } from './attempt.ts';
import { assignedBetween, nextActionEvent } from './next-action.ts';
import { fencedError, type NextAction, type Session } from './sessions.ts';

/** Rejects with an RpcError. When it resolves, the report is durable. */
export async function reportAttempt(
  deps: ReportDeps,
  request: ReportRequest,
  admit: Admit,
): Promise<ReportResponse> {
  const { sessionId, attempt, status = create(ActionStatusRequestSchema) } = request;
  const { session, agentId } = reporterOf(deps, sessionId);
  await admit({ agentId, workflowId: status.workflowId, purpose: 'report' });
  const { workflow, report } = parsedReport(status, attempt);
  if (report.agentId !== agentId)
    throw new RpcError('permission-denied', `the session is that of agent ${agentId}`);
  if (session === undefined) {
    refuseFenced(deps, workflow, report);
    throw fencedError(agentId);
  }
  const isFinal = isTerminal(report.state);
  const key = attemptKey({ ...status, number: attempt });
  // Runs before the change is visible: an attempt that ended by this report needs no cancellation.
  const { reported } = session;
  if (isFinal) session.reported = key;
  const recorded = await record(deps, workflow, { session, report }).catch((error: unknown) => {
    // A refused report does not end the attempt.
    if (session.reported === key) session.reported = reported;
    throw error;
  });
  if (isFinal && session.output?.key === key) session.output.finish();
  const unchanged = 'unchanged' in recorded ? recorded.unchanged : undefined;
  return unchanged === undefined
    ? create(ReportResponseSchema, { outcome: Outcome.RECORDED })
    : create(ReportResponseSchema, { outcome: Outcome.UNCHANGED, reason: unchanged });
}

interface SessionReport {
  readonly session: Session;
  readonly report: ActionReport;
}

/** The stream of actions waits for the outcome of a success, so that it does not assign the next action as well. */
function record(
  deps: ReportDeps,
  workflow: NamespacedName,
  { session, report }: SessionReport,
): Promise<Recorded> {
  if (report.state !== 'SUCCESS' || session.admit === undefined)
    return recordReport(deps, workflow, { report });
  const recording = nextActionEvent(deps, session, workflow).then((following) =>
    recordReport(deps, workflow, { report, following }),
  );
  session.handover = recording.then(
    (recorded) => nextOf(deps, session, recorded),
    () => undefined,
  );
  return recording;
}

function nextOf({ timeline }: ReportDeps, session: Session, recorded: Recorded): NextAction | undefined {
  if ('unchanged' in recorded) return undefined;
  const { before, after } = recorded;
  const { agentId, id: sessionId } = session;
  const place = assignedBetween(before, after, agentId);
  if (place === undefined) return undefined;
  timeline.actionServed(after, place, { agentId, sessionId });
  return { workflow: after, place };
}

/** Returns no session when a newer one has fenced it. Throws an RpcError for an unknown session. */
function reporterOf(
  { sessions }: ReportDeps,
  sessionId: string,
): { readonly session?: Session; readonly agentId: string } {
  const fenced = sessions.fencedAgent(sessionId);
  if (fenced !== undefined) return { agentId: fenced };
  const session = sessions.live(sessionId);
  return { session, agentId: session.agentId };
}

/** Throws an RpcError. */
function parsedReport(status: ActionStatusRequest, attempt: number) {
  const parsed = parseReport(status);
  if (!parsed.ok) throw new RpcError('invalid-argument', parsed.message);
  if (attempt === 0) throw new RpcError('invalid-argument', 'invalid attempt');
  return { workflow: parsed.workflow, report: { ...parsed.report, attempt } };
}
