/** The Provisioning API over gRPC. Protobuf's JSON form carries its messages to the calls that REST uses too. */
import {
  fromJsonString,
  toJson,
  type DescMessage,
  type JsonValue,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf';
import { API, JobSchema, type Job, type WatchJobRequest } from '@tinkerbell/api/provisioning';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import type { Caller, Calls, ResponseStream } from '../grpc/calls.ts';
import type { RpcService } from '../grpc/grpc-server.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Access } from './access.ts';
import type { ProvisioningDeps } from './job-store.ts';
import { checkedRequest } from './refused-request.ts';
import { unaryCallNamed } from './unary-calls.ts';
import { watchJob } from './watch-job.ts';

/** The callers that need no credential. */
export type ProvisioningAudience = 'everyone' | 'none';

export function provisioningRpc(
  deps: ProvisioningDeps,
  calls: Calls,
  audience: ProvisioningAudience,
): RpcService {
  const unary = API.methods.filter(({ methodKind }) => methodKind === 'unary');
  const handlers = unary.map(({ name, localName, input, output }) => {
    const call = unaryCallNamed(name);
    const handler = calls.unary<Message, Message>(name, async (request, _signal, caller) => {
      admit(caller, audience, deps.access);
      return messageOf(output, await call(deps, plainJson(input, request), caller));
    });
    return [localName, handler] as const;
  });
  return {
    descriptor: API,
    definition: serviceDefinition(API),
    handlers: {
      ...Object.fromEntries(handlers),
      watchJob: calls.serverStream<WatchJobRequest, Job>('WatchJob', async (request, out, caller) => {
        admit(caller, audience, deps.access);
        await deps.access.identityOf(caller, 'WatchJob');
        await watch(deps, plainJson(API.method.watchJob.input, request), out);
      }),
    },
  };
}

async function watch(deps: ProvisioningDeps, request: unknown, out: ResponseStream<Job>): Promise<void> {
  const { job_id: jobId } = await checkedRequest('WatchJob', request);
  for await (const job of watchJob(deps, jobId, out.ending.signal)) await out.send(messageOf(JobSchema, job));
}

/** Uses the names of the .proto file. Fields with protobuf's zero value are absent. */
function plainJson(schema: DescMessage, message: Message): JsonValue {
  return toJson(schema, message, { useProtoFieldName: true });
}

function messageOf<Schema extends DescMessage>(schema: Schema, answer: object): MessageShape<Schema> {
  return fromJsonString(schema, JSON.stringify(answer));
}

/** Agents reach this port from the provisioning network without a name. Callers of this API need one there. */
function admit(caller: Caller, audience: ProvisioningAudience, { knowsTokens = false }: Access): void {
  if (caller.header('impersonate-user') !== undefined)
    throw new RpcError('permission-denied', 'the provisioning API does not act as other users over gRPC');
  if (knowsTokens && caller.header('authorization') !== undefined) return;
  if (audience === 'everyone') return;
  throw new RpcError(
    knowsTokens ? 'unauthenticated' : 'permission-denied',
    `the provisioning API needs a token; ${caller.peer} sent none. Create one with "tink token create" on the server`,
  );
}
