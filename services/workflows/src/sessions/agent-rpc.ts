/** Serves tinkerbell.agent.v1, the protocol of our own agent. */
import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  AgentService,
  ExchangeResponseSchema,
  HelloResponseSchema,
  type ActionsRequest,
  type ActionsResponse,
  type ExchangeRequest,
  type ExchangeResponse,
  type HelloRequest,
  type HelloResponse,
  type OutputRequest,
  type OutputResponse,
  type ReportRequest,
  type ReportResponse,
  type TriedRequest,
  type TriedResponse,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import type { Caller, Calls } from '../grpc/calls.ts';
import type { WorkflowsMetrics } from '../metrics.ts';
import type { RpcService } from '../grpc/grpc-server.ts';
import { LINE_BYTES_MAX, OUTPUT_BYTES_MAX, OUTPUT_LINES_MAX } from './action-output.ts';
import { reportAttempt } from './report-attempt.ts';
import { streamActions, type StreamActionsDeps } from './stream-actions.ts';
import { takeOutput } from './take-output.ts';
import { tried, type TrialBook } from './trial-book.ts';

/** So that an agent may lose some before it counts as silent. */
const HEARTBEATS_IN_SILENCE = 3;

export interface AgentRpcDeps extends StreamActionsDeps {
  readonly silenceMs: number;
  readonly metrics: Pick<WorkflowsMetrics, 'reports' | 'outputLines'>;
  /** The URL of our own HTTP server, such as `http://192.0.2.1:7171`. */
  readonly httpOrigins: readonly string[];
  readonly trials: TrialBook;
}

export function agentRpc(deps: AgentRpcDeps, calls: Calls): RpcService {
  return {
    descriptor: AgentService,
    definition: serviceDefinition(AgentService),
    handlers: {
      exchange: calls.unary<ExchangeRequest, ExchangeResponse>('Exchange', (request, _, caller) =>
        exchangeToken(deps, request, caller),
      ),
      hello: calls.unary<HelloRequest, HelloResponse>('Hello', async (request, _, caller) => {
        await deps.door.admit(caller, { agentId: request.agentId, purpose: 'report' });
        return hello(deps, request);
      }),
      actions: calls.serverStream<ActionsRequest, ActionsResponse>('Actions', (request, out, caller) =>
        streamActions(deps, request, { out, admit: (said) => deps.door.admit(caller, said) }),
      ),
      report: calls.unary<ReportRequest, ReportResponse>('Report', (request, _, caller) =>
        reportAttempt(deps, request, (said) => deps.door.admit(caller, said)),
      ),
      tried: calls.unary<TriedRequest, TriedResponse>('Tried', (request, _, caller) =>
        tried(deps, request, (said) => deps.door.admit(caller, said)),
      ),
      output: calls.bidiStream<OutputRequest, OutputResponse>('Output', (each, out, caller) =>
        takeOutput(deps, each, { out, admit: (said) => deps.door.admit(caller, said) }),
      ),
    },
  };
}

/** The session is durable when this resolves. */
async function exchangeToken(
  { door, httpOrigins }: AgentRpcDeps,
  { agentId, bootToken }: ExchangeRequest,
  caller: Caller,
): Promise<ExchangeResponse> {
  const { session, expiresSeconds } = await door.exchange(caller, { agentId, bootToken });
  const expires = timestampFromMs(expiresSeconds * 1000);
  return create(ExchangeResponseSchema, { session, expires, origins: [...httpOrigins] });
}

function hello(deps: AgentRpcDeps, request: HelloRequest): HelloResponse {
  const { id: sessionId } = deps.sessions.open(request);
  const silenceSeconds = Math.ceil(deps.silenceMs / 1000);
  const limits = {
    heartbeatSeconds: Math.max(1, Math.floor(silenceSeconds / HEARTBEATS_IN_SILENCE)),
    silenceSeconds,
    lineBytes: LINE_BYTES_MAX,
    outputLines: OUTPUT_LINES_MAX,
    outputBytes: OUTPUT_BYTES_MAX,
  };
  return create(HelloResponseSchema, { sessionId, limits });
}
