/** Failures as Kubernetes Status objects (apimachinery meta/v1 Status). */
import type { UnreadText } from '@tinkerbell/platform-contract';
import { formatPath, formatProblem, type Kind, type Problem } from '@tinkerbell/resources';

export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Invalid'
  | 'Expired'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'UnsupportedMediaType'
  | 'RequestEntityTooLarge'
  | 'TooManyRequests'
  | 'ServiceUnavailable'
  | 'InternalError';

const codes: Readonly<Record<StatusReason, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Invalid: 422,
  Expired: 410,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  UnsupportedMediaType: 415,
  RequestEntityTooLarge: 413,
  TooManyRequests: 429,
  ServiceUnavailable: 503,
  InternalError: 500,
};

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
}

export interface StatusObject {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** Thrown by handlers, and answered as its Status object. */
export class ApiError extends Error {
  readonly reason: StatusReason;
  readonly details: StatusDetails;

  constructor(reason: StatusReason, message: string, details: StatusDetails = {}) {
    super(message);
    this.name = 'ApiError';
    this.reason = reason;
    this.details = details;
  }

  get code(): number {
    return codes[this.reason];
  }

  toStatus(): StatusObject {
    const { reason, message, details, code } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      details,
      code,
    };
  }
}

export function successStatus(details: StatusDetails): StatusObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 };
}

const causeReasons: Readonly<Record<Problem['reason'], string>> = {
  'unknown-field': 'FieldValueInvalid',
  required: 'FieldValueRequired',
  invalid: 'FieldValueInvalid',
  'not-supported': 'FieldValueNotSupported',
};

export function causesOf(problems: readonly Problem[]): NonNullable<StatusDetails['causes']> {
  return problems.map((problem) => ({
    reason: causeReasons[problem.reason],
    message: problem.message,
    field: formatPath(problem.path),
  }));
}

/** 429 with the seconds after which clients of Kubernetes retry. */
export function tooMany(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError('TooManyRequests', message, { retryAfterSeconds });
}

/** After work that takes a thread a second at most. */
const BUSY_RETRY_SECONDS = 2;

/** 429 when a thread has too much to do. */
export function busy(message: string): ApiError {
  return tooMany(message, BUSY_RETRY_SECONDS);
}

/** The error for a text that the thread of texts has not read: 429 or 413. `what` begins the message of a 413. */
export function unread({ reason, message }: UnreadText, what: string): ApiError {
  return reason === 'busy' ? busy(message) : new ApiError('RequestEntityTooLarge', `${what}: ${message}`);
}

/** 400 in the words of Kubernetes for `fieldValidation=Strict`, with suggested field names. */
export function unknownFieldsRefused(kind: Kind, name: string, problems: readonly Problem[]): ApiError {
  const fields = problems.map(({ path, message }) => {
    if (path.length === 0) return message;
    const hint = /; (did you mean .*)$/.exec(message)?.[0] ?? '';
    return `unknown field ${JSON.stringify(formatPath(path))}${hint}`;
  });
  const message =
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ` +
    `strict decoding error: ${fields.join(', ')}`;
  return new ApiError('BadRequest', message, { kind: kind.kind, name, causes: causesOf(problems) });
}

/** 422 with one cause per problem. */
export function invalid(kind: string, name: string, problems: readonly Problem[]): ApiError {
  const causes = causesOf(problems);
  const text = problems.map(formatProblem);
  const message = `${kind} ${JSON.stringify(name)} is invalid: ${text.length === 1 ? text[0] : `[${text.join(', ')}]`}`;
  return new ApiError('Invalid', message, { kind, name, causes });
}
