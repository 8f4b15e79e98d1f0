/** Adapts handlers to gRPC: errors become status codes, cancelled calls abort, and every response is counted. */
import {
  noTracer,
  parseTraceparent,
  stackOf,
  type Clock,
  type Log,
  type Span,
  type Tracer,
} from '@tinkerbell/platform-contract';
import { parseMac } from '@tinkerbell/wire';
import type { CallMetrics } from '../metrics.ts';
import { Ending } from '../ending.ts';
import { CallCounts, type CallType } from './call-counts.ts';
import { grpcStatus, type GrpcStatus } from './grpc-status.ts';
import { RpcError, type RpcCode } from './rpc-error.ts';
import type { CallHandler, ServerCall } from './server-call.ts';

const grpcCodes: Readonly<Record<RpcCode, GrpcStatus>> = {
  'invalid-argument': grpcStatus.invalidArgument,
  'not-found': grpcStatus.notFound,
  'already-exists': grpcStatus.alreadyExists,
  unauthenticated: grpcStatus.unauthenticated,
  'permission-denied': grpcStatus.permissionDenied,
  'resource-exhausted': grpcStatus.resourceExhausted,
  'failed-precondition': grpcStatus.failedPrecondition,
  aborted: grpcStatus.aborted,
  unimplemented: grpcStatus.unimplemented,
  unavailable: grpcStatus.unavailable,
  internal: grpcStatus.internal,
};

/** The code names of Go's libraries, which upstream's metrics use too. */
function codeNameOf(code: RpcCode): string {
  const words = code.split('-').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return words.join('');
}

/** Calls `take` for each request of a stream. Resolves when there are no more, and rejects when `take` does. */
export type EachRequest<Request> = (take: (request: Request) => Promise<void>) => Promise<void>;

/** The destination of a stream's responses. */
export interface Sender<Response> {
  /** Resolves when the transport has room for more. */
  send(response: Response): Promise<void>;
}

/** A stream of responses, while its call is open. */
export interface ResponseStream<Response> extends Sender<Response> {
  /** Ends when the client cancels or the server stops. */
  readonly ending: Ending;
}

/** The caller, as far as the transport knows it. */
export interface Caller {
  /** `127.0.0.1:50123`. IPv6 addresses are in brackets. */
  readonly peer: string;
  /** Returns the first value of a header, or undefined when it is absent. */
  header(name: string): string | undefined;
}

/** A call, as far as every kind of handler knows it. */
type AnyCall = Pick<ServerCall, 'path' | 'peer' | 'header' | 'onCancelled' | 'finish'>;
/** A call with a stream of responses. */
type StreamedCall<Response> = AnyCall & Pick<ServerCall<unknown, Response>, 'send' | 'room'>;

/** One active call. */
interface OpenCall {
  readonly ending: Ending;
  readonly count: ReturnType<CallCounts['of']>;
  readonly startedMs: number;
  readonly span: Span | undefined;
}

interface FailedCall {
  readonly method: string;
  readonly call: AnyCall;
  readonly thrown: unknown;
}

interface CallsDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly tracer?: Tracer;
  readonly metrics: CallMetrics;
}

/** Codes that indicate a fault of the server. The others are normal responses. */
const FAULTS: readonly string[] = ['Internal', 'Unavailable'];

export class Calls {
  readonly #counts: CallCounts;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #tracer: Tracer;
  readonly #stopping: AbortSignal;
  /** The state of active calls. */
  readonly #open = new Set<Ending>();

  constructor({ log, clock, tracer = noTracer, metrics }: CallsDeps, stopping: AbortSignal) {
    this.#counts = new CallCounts(metrics);
    this.#tracer = tracer;
    this.#log = log;
    this.#clock = clock;
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => {
      for (const ending of this.#open) ending.end();
    });
  }

  /** `ending` ends when the client cancels or the server stops. */
  unary<Request, Response>(
    method: string,
    body: (request: Request, ending: Ending, caller: Caller) => Promise<Response>,
  ): CallHandler<Request, Response> {
    const start = (call: ServerCall<Request, Response>): void => {
      const { request } = call;
      const open = this.#begin('unary', call, request);
      open.count.received.add();
      body(request, open.ending, call)
        .then((response) => {
          call.send(response);
          open.count.sent.add();
          this.#end(open, 'OK');
          call.finish(grpcStatus.ok);
        })
        .catch((thrown: unknown) => this.#fail(open, { method, call, thrown }));
    };
    return { start };
  }

  /** The stream ends when `body` resolves. */
  serverStream<Request, Response>(
    method: string,
    body: (request: Request, out: ResponseStream<Response>, caller: Caller) => Promise<void>,
  ): CallHandler<Request, Response> {
    const start = (call: ServerCall<Request, Response>): void => {
      const { request } = call;
      const open = this.#begin('server_stream', call, request);
      open.count.received.add();
      this.#run(method, { call, open }, (out) => body(request, out, call));
    };
    return { start };
  }

  /** Requests are read one at a time. A broken stream ends like one that the client has ended. */
  bidiStream<Request, Response>(
    method: string,
    body: (each: EachRequest<Request>, out: ResponseStream<Response>, caller: Caller) => Promise<void>,
  ): CallHandler<Request, Response> {
    const start = (call: ServerCall<Request, Response>): void => {
      const open = this.#begin('bidi_stream', call);
      const each: EachRequest<Request> = (take) =>
        call.eachRequest((request) => {
          open.count.received.add();
          return take(request);
        });
      this.#run(method, { call, open }, (out) => Promise.race([body(each, out, call), stopped(open.ending)]));
    };
    return { start };
  }

  #run<Response>(
    method: string,
    { call, open }: { readonly call: StreamedCall<Response>; readonly open: OpenCall },
    body: (out: ResponseStream<Response>) => Promise<void>,
  ): void {
    const { ending } = open;
    const send = (response: Response): Promise<void> => {
      if (ending.isOver) return Promise.resolve();
      open.count.sent.add();
      return call.send(response) ? Promise.resolve() : call.room();
    };
    body({ send, ending }).then(
      () => {
        this.#end(open, 'OK');
        call.finish(grpcStatus.ok);
      },
      (thrown: unknown) => this.#fail(open, { method, call, thrown }),
    );
  }

  #begin(type: CallType, call: AnyCall, request?: unknown): OpenCall {
    const ending = new Ending();
    if (this.#stopping.aborted) ending.end();
    this.#open.add(ending);
    call.onCancelled = () => {
      if (this.#open.delete(ending)) ending.end();
    };
    const count = this.#counts.of(type, call.path);
    count.started.add();
    return { ending, count, startedMs: this.#clock.monotonicMs(), span: this.#span(call, request) };
  }

  /** Undefined when no traces are collected. */
  #span(call: AnyCall, request: unknown): Span | undefined {
    if (!this.#tracer.isOn) return undefined;
    const agent = agentIn(request);
    return this.#tracer.startSpan(call.path.slice(1), {
      kind: 'server',
      parent: parseTraceparent(call.header('traceparent')),
      machine: parseMac(agent),
      attributes: { 'rpc.system': 'grpc', ...(agent === '' ? {} : { 'agent.id': agent }) },
    });
  }

  #end({ ending, count, startedMs, span }: OpenCall, code: string): void {
    span?.setAttribute('rpc.grpc.status_code', code);
    if (FAULTS.includes(code)) span?.fail(code);
    span?.end();
    this.#open.delete(ending);
    count.handled(code, (this.#clock.monotonicMs() - startedMs) / 1000);
  }

  #fail(open: OpenCall, { method, call, thrown }: FailedCall): void {
    const error = thrown instanceof RpcError ? thrown : this.#unexpected(method, thrown);
    this.#end(open, codeNameOf(error.code));
    call.finish(grpcCodes[error.code], error.message);
  }

  #unexpected(method: string, thrown: unknown): RpcError {
    this.#log.error('rpc failed', { method, error: String(thrown), stack: stackOf(thrown) });
    return new RpcError('internal', 'internal error');
  }
}

/** A report is wrapped in its dialect. */
function agentIn(request: unknown): string {
  const asked = (request ?? {}) as { readonly agentId?: string; readonly request?: { agentId?: string } };
  return asked.agentId ?? asked.request?.agentId ?? '';
}

/** Rejects when the call ends, and then waits for no further request. */
function stopped(ending: Ending): Promise<never> {
  return new Promise((_, reject) => {
    ending.onEnd(() => reject(new RpcError('unavailable', 'server shutting down')));
  });
}
