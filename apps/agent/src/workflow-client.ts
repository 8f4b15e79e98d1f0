import { Client, credentials, status, type Interceptor, type ServiceError } from '@grpc/grpc-js';

import {
  WorkflowService,
  type ActionRequest,
  type ActionResponse,
  type ActionStatusRequest,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';

import type { Settings } from './settings.ts';
import { tlsTargetOf, type TlsTarget } from './tls-server-name.ts';

const KEEPALIVE_MS = 20_000;
const KEEPALIVE_TIMEOUT_MS = 10_000;
const RECONNECT_FIRST_MS = 250;
/** A server that accepts a call but does not answer is called again after this time. */
const CALL_LIMIT_MS = 30_000;
const METHODS = serviceDefinition(WorkflowService);

/** The server's answer, classified by what the agent does about it. */
export type CallFailure = {
  readonly ok: false;
  /** idle: nothing to do now. permanent: never accepted, however often repeated. temporary: retry. */
  readonly kind: 'idle' | 'permanent' | 'temporary';
  readonly error: string;
};

export type CallResult<Value> = { readonly ok: true; readonly value: Value } | CallFailure;

export type Fields<Message extends { $typeName: string }> = Omit<Message, '$typeName' | '$unknown'>;

export interface WorkflowClient {
  getAction(request: Fields<ActionRequest>, signal: AbortSignal): Promise<CallResult<ActionResponse>>;
  report(request: Fields<ActionStatusRequest>, deadlineMs?: number): Promise<CallResult<undefined>>;
  close(): void;
}

export type Channel = Client;

/** One connection for every protocol. */
export function openChannel(settings: Settings, interceptors: Interceptor[] = []): Channel {
  const target = tlsTargetOf(settings.grpcServer);
  return new Client(settings.grpcServer, channelCredentials(settings, target), {
    ...(settings.grpcTls ? target.channel : {}),
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_FIRST_MS,
    'grpc.max_reconnect_backoff_ms': settings.backoffMaxMs,
    interceptors,
  });
}

interface Method<Request, Response> {
  readonly path: string;
  requestSerialize(value: Request): Buffer;
  responseDeserialize(bytes: Buffer): Response;
}

/** Returns the answer of one call or its error, within CALL_LIMIT_MS or before `deadlineMs` since the Unix epoch. */
export function unary<Request extends object, Response>(
  channel: Channel,
  method: Method<Request, Response>,
  { request, deadlineMs }: { readonly request: Request; readonly deadlineMs?: number | undefined },
): Promise<{ readonly value: Response } | { readonly error: ServiceError | null }> {
  return new Promise((resolve) => {
    const call = channel.makeUnaryRequest(
      method.path,
      (value: Request) => method.requestSerialize(value),
      (bytes) => method.responseDeserialize(bytes),
      request,
      deadlineMs === undefined ? {} : { deadline: deadlineMs },
      (error, value) => {
        clearTimeout(limit);
        resolve(value === undefined ? { error } : { value });
      },
    );
    const limit = setTimeout(() => call.cancel(), CALL_LIMIT_MS);
  });
}

/** The agent's side of upstream's WorkflowService. GetAction has no deadline, because the server may hold it. */
export function createWorkflowClient(settings: Settings, client = openChannel(settings)): WorkflowClient {
  return {
    getAction(request, signal) {
      return new Promise((resolve) => {
        const method = METHODS.getAction;
        const call = client.makeUnaryRequest(
          method.path,
          (value: typeof request) => method.requestSerialize(value),
          (bytes) => method.responseDeserialize(bytes),
          request,
          (error, value) => resolve(value === undefined ? failure(error) : { ok: true, value }),
        );
        signal.addEventListener('abort', () => call.cancel(), { once: true });
      });
    },
    async report(request, deadlineMs) {
      const answer = await unary(client, METHODS.reportActionStatus, { request, deadlineMs });
      return 'error' in answer ? failure(answer.error) : { ok: true, value: undefined };
    },
    close: () => client.close(),
  };
}

function channelCredentials(
  settings: Settings,
  { verify }: TlsTarget,
): ReturnType<typeof credentials.createInsecure> {
  if (!settings.grpcTls) return credentials.createInsecure();
  return credentials.createSsl(null, null, null, {
    rejectUnauthorized: !settings.grpcInsecureTls,
    ...verify,
  });
}

const NO_ACTION_AVAILABLE = 'NO_ACTION_AVAILABLE';

/** Classifies an error. */
export function failure(error: ServiceError | null): CallFailure {
  if (error === null) return { ok: false, kind: 'temporary', error: 'empty answer from the server' };
  const text = `${status[error.code]}: ${error.details}`;
  if (error.code === status.NOT_FOUND || error.code === status.FAILED_PRECONDITION) {
    return { ok: false, kind: 'idle', error: text };
  }
  if (error.details.includes(NO_ACTION_AVAILABLE)) return { ok: false, kind: 'idle', error: text };
  const kind = error.code === status.INVALID_ARGUMENT ? 'permanent' : 'temporary';
  return { ok: false, kind, error: text };
}
