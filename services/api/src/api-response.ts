/** Answers of the API: JSON, or a failure of the verb. */
import { WholeResponse, type HttpRequest } from '@tinkerbell/platform-contract';
import { formatProblem } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';
import type { Outcome } from './resource-handlers.ts';
import { warningHeaders } from './warnings.ts';

export function json(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new WholeResponse(`${JSON.stringify(value)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export function result({ code, object, warnings }: Outcome): Response {
  return json(object, code, warningHeaders(warnings.map(formatProblem)));
}

/** Of an error; a client that shall come again is told when. */
export function failed(error: ApiError): Response {
  const { retryAfterSeconds } = error.details;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return json(error.toStatus(), error.code, headers);
}

export function methodNotAllowed(request: HttpRequest): never {
  throw new ApiError('MethodNotAllowed', `${request.method} is not allowed here`);
}
