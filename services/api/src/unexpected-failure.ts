import { PlatformError, stackOf, type HttpRequest, type Log } from '@tinkerbell/platform-contract';
import { ApiError } from './api-error.ts';

/** The failover of a database takes seconds. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/** An unreachable store is a temporary condition, not a bug. */
export function failureOf(log: Log, request: HttpRequest, thrown: unknown): ApiError {
  if (!(thrown instanceof PlatformError) || thrown.code !== 'unavailable')
    return internal(log, request, thrown);
  log.warn('api request not answered', {
    method: request.method,
    url: request.url,
    error: thrown.message,
  });
  return new ApiError('ServiceUnavailable', 'the store is unavailable; try again later', {
    retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
  });
}

function internal(log: Log, request: HttpRequest, thrown: unknown): ApiError {
  log.error('api request failed', {
    method: request.method,
    url: request.url,
    error: String(thrown),
    stack: stackOf(thrown),
  });
  return new ApiError('InternalError', 'internal error; see the log of the server');
}
