/** Errors over HTTP: RFC 9457. */
import { WholeResponse } from '@tinkerbell/platform-contract';
import { RpcError, type RpcCode } from '../grpc/rpc-error.ts';
import { RefusedRequest } from './refused-request.ts';

/** The mapping of gRPC gateways (google/rpc/code.proto). */
const statusOf: Readonly<Record<RpcCode, number>> = {
  'invalid-argument': 400,
  'failed-precondition': 409,
  'not-found': 404,
  'already-exists': 409,
  aborted: 409,
  unauthenticated: 401,
  'permission-denied': 403,
  'resource-exhausted': 429,
  unimplemented: 501,
  unavailable: 503,
  internal: 500,
};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

const RETRY_AFTER_SECONDS = '10';

export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly field?: string;
}

/** Errors that only HTTP requests can have. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'HttpProblem';
    this.status = status;
    this.headers = headers;
  }
}

export function problem(status: number, detail: string, field?: string): Problem {
  const title = titles[status] ?? 'Error';
  return { type: 'about:blank', title, status, detail, ...(field === undefined ? {} : { field }) };
}

/** Undefined for an error that no caller can have caused. */
export function problemOf(thrown: unknown): Problem | undefined {
  if (thrown instanceof HttpProblem) return problem(thrown.status, thrown.message);
  if (!(thrown instanceof RpcError)) return undefined;
  const field = thrown instanceof RefusedRequest ? thrown.field : undefined;
  return problem(statusOf[thrown.code], thrown.message, field);
}

export function problemResponse(body: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new WholeResponse(`${JSON.stringify(body)}\n`, {
    status: body.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(body.status === 429 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}),
      ...headers,
    },
  });
}
