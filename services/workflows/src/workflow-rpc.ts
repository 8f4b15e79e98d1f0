/** proto.WorkflowService in both its forms: current upstream's and the legacy worker's, on the same paths. */
import { create } from '@bufbuild/protobuf';
import {
  ActionStatusResponseSchema,
  WorkflowService,
  type ActionRequest,
  type ActionResponse,
  type ActionStatusResponse,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import {
  WorkflowService as LegacyWorkflowService,
  type WorkflowActionList,
  type WorkflowActionsRequest,
  type WorkflowContext,
  type WorkflowContextRequest,
} from '@tinkerbell/api/legacy-agent';
import { getAction, type GetActionDeps } from './get-action.ts';
import type { Calls } from './grpc/calls.ts';
import type { RpcService } from './grpc/grpc-server.ts';
import { decodeReport, type AnyReport } from './legacy/report-dialect.ts';
import { admitLegacyRead, admitLegacyReport } from './legacy/admit-legacy.ts';
import { reportLegacyStatus } from './legacy/report-legacy-status.ts';
import { getWorkflowActions, getWorkflowContexts } from './legacy/workflow-contexts.ts';
import { reportActionStatus } from './report-action-status.ts';

export function workflowRpc(deps: GetActionDeps, calls: Calls): RpcService {
  const current = serviceDefinition(WorkflowService);
  const legacy = serviceDefinition(LegacyWorkflowService, WorkflowService.typeName);
  return {
    descriptor: WorkflowService,
    definition: {
      ...legacy,
      ...current,
      reportActionStatus: { ...current.reportActionStatus, requestDeserialize: decodeReport },
    },
    handlers: {
      getAction: calls.unary<ActionRequest, ActionResponse>('GetAction', (request, ending, caller) =>
        getAction(deps, request, {
          ending,
          admit: () => deps.door.admit(caller, { agentId: request.agentId, purpose: 'read' }),
        }),
      ),
      reportActionStatus: calls.unary<AnyReport, ActionStatusResponse>(
        'ReportActionStatus',
        async (report, _, caller) => {
          if (report.dialect === 'current') {
            const { agentId, workflowId } = report.request;
            await deps.door.admit(caller, { agentId, workflowId, purpose: 'report' });
            return reportActionStatus(deps, report.request);
          }
          await admitLegacyReport(deps, report.request, caller);
          await reportLegacyStatus(deps, report.request);
          // Both answers are empty messages.
          return create(ActionStatusResponseSchema, {});
        },
      ),
      getWorkflowContexts: calls.serverStream<WorkflowContextRequest, WorkflowContext>(
        'GetWorkflowContexts',
        async (request, out, caller) => {
          const { workerId: agentId } = request;
          const speaker = await deps.door.admit(caller, { agentId, purpose: 'read' });
          await getWorkflowContexts(deps, request, { out, speaker });
        },
      ),
      getWorkflowActions: calls.unary<WorkflowActionsRequest, WorkflowActionList>(
        'GetWorkflowActions',
        async (request, _, caller) => {
          await admitLegacyRead(deps, request, caller);
          return getWorkflowActions(deps, request);
        },
      ),
    },
  };
}
