/** An agent that waits for orders, and answers each trial: HTTP answers it, and every other port is silent. */
import { create } from '@bufbuild/protobuf';
import type { Client } from '@grpc/grpc-js';
import {
  ActionsRequestSchema,
  AgentService,
  HelloRequestSchema,
  TriedPort_Outcome as Outcome,
  TriedRequestSchema,
  type ActionsRequest,
  type ActionsResponse,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { unaryCall } from '../crash/simulated-agent.ts';

const METHODS = serviceDefinition(AgentService);
const DEADLINE_MS = 10_000;

/** Resolves when it listens. The returned function ends it. */
export async function listenAsAgent(client: Client, agentId: string): Promise<() => void> {
  const request = create(HelloRequestSchema, { agentId, bootId: 'boot' });
  const hello = await unaryCall(client, { method: METHODS.hello, request, deadlineMs: DEADLINE_MS });
  if (!hello.ok) throw new Error(`no session for ${agentId}: ${hello.code}`);
  const { sessionId } = hello.value;
  const { actions } = METHODS;
  const call = client.makeServerStreamRequest(
    actions.path,
    (wanted: ActionsRequest) => actions.requestSerialize(wanted),
    (bytes) => actions.responseDeserialize(bytes),
    create(ActionsRequestSchema, { sessionId }),
  );
  call.on('error', () => undefined);
  call.on('data', ({ order }: ActionsResponse) => {
    if (order.case !== 'trial') return;
    const ports = order.value.ports.map(({ name }) => ({
      name,
      outcome: name === 'HTTP' ? Outcome.ANSWERED : Outcome.SILENT,
      reason: name === 'HTTP' ? '' : 'nothing within 3 s',
    }));
    const answer = create(TriedRequestSchema, { sessionId, id: order.value.id, ports });
    void unaryCall(client, { method: METHODS.tried, request: answer, deadlineMs: DEADLINE_MS });
  });
  return () => call.cancel();
}
