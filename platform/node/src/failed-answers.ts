/** What the listener answers itself, for requests that no handler could answer. */
import { WholeResponse, type Log } from '@tinkerbell/platform-contract';

export function badRequest(): WholeResponse {
  return new WholeResponse('bad request\n', { status: 400 });
}

export function internalError(): WholeResponse {
  return new WholeResponse('internal error\n', { status: 500, headers: { 'content-type': 'text/plain' } });
}

interface FailedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
}

/** A handler has thrown, or its answer could not be sent. */
export function reportFailure(log: Log, thrown: unknown, request: FailedRequest): void {
  log.error('http handler failed', {
    ...request,
    error: String(thrown),
    stack: thrown instanceof Error ? thrown.stack : undefined,
  });
}
