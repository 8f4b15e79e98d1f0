/** tinkerbell.agent.v1: our own protocol. */
import { create } from '@bufbuild/protobuf';
import {
  AgentService,
  HelloResponseSchema,
  type ActionsRequest,
  type ActionsResponse,
  type HelloRequest,
  type HelloResponse,
  type OutputRequest,
  type OutputResponse,
  type ReportRequest,
  type ReportResponse,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import type { Calls } from '../grpc/calls.ts';
import type { RpcService } from '../grpc/grpc-server.ts';
import { LINE_BYTES_MAX, OUTPUT_BYTES_MAX, OUTPUT_LINES_MAX } from './action-output.ts';
import { reportAttempt } from './report-attempt.ts';
import { streamActions, type StreamActionsDeps } from './stream-actions.ts';
import { takeOutput } from './take-output.ts';

const HEARTBEAT_SECONDS = 10;

export interface AgentRpcDeps extends StreamActionsDeps {
  readonly silenceMs: number;
}

export function agentRpc(deps: AgentRpcDeps, calls: Calls): RpcService {
  return {
    descriptor: AgentService,
    definition: serviceDefinition(AgentService),
    handlers: {
      hello: calls.unary<HelloRequest, HelloResponse>('Hello', async (request) => hello(deps, request)),
      actions: calls.serverStream<ActionsRequest, ActionsResponse>('Actions', (request, out, signal) =>
        streamActions(deps, request, out, signal),
      ),
      report: calls.unary<ReportRequest, ReportResponse>('Report', (request) => reportAttempt(deps, request)),
      output: calls.bidiStream<OutputRequest, OutputResponse>('Output', (requests, out) =>
        takeOutput(deps, requests, out),
      ),
    },
  };
}

function hello(deps: AgentRpcDeps, request: HelloRequest): HelloResponse {
  const { id: sessionId } = deps.sessions.open(request);
  const limits = {
    heartbeatSeconds: HEARTBEAT_SECONDS,
    silenceSeconds: Math.ceil(deps.silenceMs / 1000),
    lineBytes: LINE_BYTES_MAX,
    outputLines: OUTPUT_LINES_MAX,
    outputBytes: OUTPUT_BYTES_MAX,
  };
  return create(HelloResponseSchema, { sessionId, limits });
}
