/** Handlers as gRPC wants them: errors become status codes, cancelled calls abort, every answer is counted. */
import { status as grpcStatus, type handleUnaryCall, type ServerUnaryCall } from '@grpc/grpc-js';
import type { Log } from '@tinkerbell/platform-contract';
import { RpcError, type RpcCode } from './rpc-error.ts';

const grpcCodes: Readonly<Record<RpcCode, grpcStatus>> = {
  'invalid-argument': grpcStatus.INVALID_ARGUMENT,
  'not-found': grpcStatus.NOT_FOUND,
  'failed-precondition': grpcStatus.FAILED_PRECONDITION,
  unavailable: grpcStatus.UNAVAILABLE,
  internal: grpcStatus.INTERNAL,
};

export class Calls {
  /** By metric name with labels. */
  readonly counters: Record<string, number> = {};
  readonly #log: Log;
  readonly #stopping: AbortSignal;

  constructor(log: Log, stopping: AbortSignal) {
    this.#log = log;
    this.#stopping = stopping;
  }

  /** `signal` aborts when the client cancels or the server stops. */
  unary<Request, Response>(
    method: string,
    body: (request: Request, signal: AbortSignal) => Promise<Response>,
  ): handleUnaryCall<Request, Response> {
    return (call, callback) => {
      body(call.request, this.#signalOf(call)).then(
        (response) => {
          this.#count(method, 'OK');
          callback(null, response);
        },
        (thrown: unknown) => {
          const error = thrown instanceof RpcError ? thrown : this.#unexpected(method, thrown);
          this.#count(method, error.code);
          callback({ code: grpcCodes[error.code], details: error.message });
        },
      );
    };
  }

  #signalOf<Request, Response>(call: ServerUnaryCall<Request, Response>): AbortSignal {
    const cancelled = new AbortController();
    call.on('cancelled', () => cancelled.abort());
    return AbortSignal.any([cancelled.signal, this.#stopping]);
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
