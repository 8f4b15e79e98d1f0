/** Answers of the API: JSON, or the failure of a verb. */
import { encodeKubernetes } from '@tinkerbell/kube-protobuf';
import { WholeResponse, type HttpRequest, type WholeResponseInit } from '@tinkerbell/platform-contract';
import { formatProblem } from '@tinkerbell/resources';
import { PROTOBUF, type AcceptedForm } from './accepted-form.ts';
import { ApiError } from './api-error.ts';
import type { Outcome } from './resource-handlers.ts';
import { warningHeaders } from './warnings.ts';

export function json(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return encoded(JSON.stringify(value), status, headers);
}

function encoded(text: string, status: number, headers: Readonly<Record<string, string>>): Response {
  return new WholeResponse(`${text}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Like `json`, but in the form that the client accepts; JSON if the object has no other form. */
export function shown(
  value: object,
  { form }: Pick<AcceptedForm, 'form'>,
  { status = 200, headers = {} }: WholeResponseInit = {},
): Response {
  const bytes = form === 'protobuf' ? encodeKubernetes(value) : undefined;
  if (bytes === undefined) return json(value, status, headers);
  return new WholeResponse(bytes, { status, headers: { 'content-type': PROTOBUF, ...headers } });
}

export function result({ code, object, text, warnings }: Outcome, accepted: AcceptedForm): Response {
  const headers = warningHeaders(warnings.map(formatProblem));
  return text !== undefined && accepted.form === 'json'
    ? encoded(text, code, headers)
    : shown(object, accepted, { status: code, headers });
}

/** Answers an error, with Retry-After if the client should retry. */
export function failed(error: ApiError, accepted: AcceptedForm): Response {
  const { retryAfterSeconds } = error.details;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return shown(error.toStatus(), accepted, { status: error.code, headers });
}

export function methodNotAllowed(request: HttpRequest): never {
  throw new ApiError('MethodNotAllowed', `${request.method} is not allowed here`);
}
