import { PlatformError, type HttpRequest, type Log } from '@tinkerbell/platform-contract';
import { ApiError } from './api-error.ts';

/** A database that fails over needs seconds. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/** The store may be out of reach, which is nobody's bug and passes. */
export function failureOf(log: Log, request: HttpRequest, thrown: unknown): ApiError {
  if (!(thrown instanceof PlatformError) || thrown.code !== 'unavailable')
    return internal(log, request, thrown);
  log.warn('api request not answered', {
    method: request.method,
    url: request.url,
    error: thrown.message,
  });
  return new ApiError('ServiceUnavailable', 'the store cannot be read now; try again', {
    retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
  });
}

function internal(log: Log, request: HttpRequest, thrown: unknown): ApiError {
  log.error('api request failed', {
    method: request.method,
    url: request.url,
    error: String(thrown),
    stack: (thrown as Error).stack,
  });
  return new ApiError('InternalError', 'an error on the server; its log says more');
}
