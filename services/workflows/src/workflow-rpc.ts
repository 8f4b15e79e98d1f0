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
      getAction: calls.unary<ActionRequest, ActionResponse>('GetAction', (request, signal) =>
        getAction(deps, request, signal),
      ),
      reportActionStatus: calls.unary<AnyReport, ActionStatusResponse>(
        'ReportActionStatus',
        async (report) => {
          if (report.dialect === 'current') return reportActionStatus(deps, report.request);
          await reportLegacyStatus(deps, report.request);
          // Both answers are empty messages.
          return create(ActionStatusResponseSchema, {});
        },
      ),
      getWorkflowContexts: calls.serverStream<WorkflowContextRequest, WorkflowContext>(
        'GetWorkflowContexts',
        (request, out) => getWorkflowContexts(deps, request, out),
      ),
      getWorkflowActions: calls.unary<WorkflowActionsRequest, WorkflowActionList>(
        'GetWorkflowActions',
        async (request) => getWorkflowActions(deps, request),
      ),
    },
  };
}
