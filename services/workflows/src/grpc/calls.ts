/** Handlers as gRPC wants them: errors become status codes, cancelled calls abort, every answer is counted. */
import {
  status as grpcStatus,
  type Metadata,
  type handleBidiStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type StatusObject,
} from '@grpc/grpc-js';
import type { Log } from '@tinkerbell/platform-contract';
import { RpcError, type RpcCode } from './rpc-error.ts';

const grpcCodes: Readonly<Record<RpcCode, grpcStatus>> = {
  'invalid-argument': grpcStatus.INVALID_ARGUMENT,
  'not-found': grpcStatus.NOT_FOUND,
  'already-exists': grpcStatus.ALREADY_EXISTS,
  unauthenticated: grpcStatus.UNAUTHENTICATED,
  'permission-denied': grpcStatus.PERMISSION_DENIED,
  'resource-exhausted': grpcStatus.RESOURCE_EXHAUSTED,
  'failed-precondition': grpcStatus.FAILED_PRECONDITION,
  aborted: grpcStatus.ABORTED,
  unimplemented: grpcStatus.UNIMPLEMENTED,
  unavailable: grpcStatus.UNAVAILABLE,
  internal: grpcStatus.INTERNAL,
};

/** The reason of every abort: one that is made anew for each call has a stack to collect, which costs more than the rest of it. */
const CANCELLED = 'the call was cancelled';

/** Where a stream's answers go. */
export interface Sender<Response> {
  /** Resolves when the transport has room for more. */
  send(response: Response): Promise<void>;
}

/** Who calls, as far as the transport knows. */
export interface Caller {
  /** `127.0.0.1:50123`; v6 addresses stand in brackets. */
  readonly peer: string;
  /** The first value of a header; undefined when there is none. */
  header(name: string): string | undefined;
}

interface Called {
  readonly metadata: Metadata;
  getPeer(): string;
}

interface Cancellable {
  on(event: 'cancelled', listener: () => void): unknown;
}

type DrainEnd = 'drain' | 'cancelled' | 'close';

interface Writable<Response> {
  write(response: Response): boolean;
  once(event: DrainEnd, listener: () => void): unknown;
  off(event: DrainEnd, listener: () => void): unknown;
  end(): void;
  emit(event: 'error', error: Partial<StatusObject>): boolean;
}

export class Calls {
  /** By metric name with labels. */
  readonly counters: Record<string, number> = {};
  readonly #log: Log;
  readonly #stopping: AbortSignal;
  /** Of the calls under way. */
  readonly #open = new Set<AbortController>();

  constructor(log: Log, stopping: AbortSignal) {
    this.#log = log;
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => {
      for (const call of this.#open) call.abort(CANCELLED);
    });
  }

  /** `signal` aborts when the client cancels or the server stops. */
  unary<Request, Response>(
    method: string,
    body: (request: Request, signal: AbortSignal, caller: Caller) => Promise<Response>,
  ): handleUnaryCall<Request, Response> {
    return (call, callback) => {
      const own = this.#begin(call);
      body(call.request, own.signal, callerOf(call)).then(
        (response) => {
          this.#open.delete(own);
          this.#count(method, 'OK');
          callback(null, response);
        },
        (thrown: unknown) => {
          this.#open.delete(own);
          callback(this.#failure(method, thrown));
        },
      );
    };
  }

  /** The stream ends when `body` resolves. */
  serverStream<Request, Response>(
    method: string,
    body: (request: Request, out: Sender<Response>, signal: AbortSignal, caller: Caller) => Promise<void>,
  ): handleServerStreamingCall<Request, Response> {
    return (call) =>
      this.#run(method, call, (out, signal) => body(call.request, out, signal, callerOf(call)));
  }

  /** Requests are taken one at a time; a stream of them that breaks ends the iteration. */
  bidiStream<Request, Response>(
    method: string,
    body: (requests: AsyncIterable<Request>, out: Sender<Response>, signal: AbortSignal) => Promise<void>,
  ): handleBidiStreamingCall<Request, Response> {
    return (call) => {
      // The answers go on after the last request.
      const requests = call.iterator({ destroyOnReturn: false }) as AsyncIterable<Request>;
      this.#run(method, call, (out, signal) => Promise.race([body(requests, out, signal), stopped(signal)]));
    };
  }

  #run<Response>(
    method: string,
    call: Writable<Response> & Cancellable,
    body: (out: Sender<Response>, signal: AbortSignal) => Promise<void>,
  ): void {
    const own = this.#begin(call);
    const { signal } = own;
    const send = (response: Response): Promise<void> =>
      signal.aborted || call.write(response) ? Promise.resolve() : drained(call);
    body({ send }, signal).then(
      () => {
        this.#open.delete(own);
        this.#count(method, 'OK');
        call.end();
      },
      (thrown: unknown) => {
        this.#open.delete(own);
        call.emit('error', this.#failure(method, thrown));
      },
    );
  }

  /** The library says `cancelled` of every call that has ended, also of those that were answered: nobody listens any more then. */
  #begin(call: Cancellable): AbortController {
    const own = new AbortController();
    if (this.#stopping.aborted) own.abort(CANCELLED);
    this.#open.add(own);
    call.on('cancelled', () => {
      if (this.#open.delete(own)) own.abort(CANCELLED);
    });
    return own;
  }

  #failure(method: string, thrown: unknown): { code: grpcStatus; details: string } {
    const error = thrown instanceof RpcError ? thrown : this.#unexpected(method, thrown);
    this.#count(method, error.code);
    return { code: grpcCodes[error.code], details: error.message };
  }

  #unexpected(method: string, thrown: unknown): RpcError {
    this.#log.error('rpc failed', { method, error: String(thrown), stack: (thrown as Error).stack });
    return new RpcError('internal', 'internal error');
  }

  #count(method: string, code: string): void {
    const name = `grpc_server_handled_total{grpc_method="${method}",grpc_code="${code}"}`;
    this.counters[name] = (this.counters[name] ?? 0) + 1;
  }
}

function callerOf(call: Called): Caller {
  return {
    peer: call.getPeer(),
    header: (name) => call.metadata.get(name)[0]?.toString(),
  };
}

/** Rejects when `signal` aborts: no further request is waited for. */
function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new RpcError('unavailable', 'server shutting down'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

function drained(call: Writable<never>): Promise<void> {
  const ends: readonly DrainEnd[] = ['drain', 'cancelled', 'close'];
  return new Promise((resolve) => {
    const done = (): void => {
      for (const end of ends) call.off(end, done);
      resolve();
    };
    for (const end of ends) call.once(end, done);
  });
}
