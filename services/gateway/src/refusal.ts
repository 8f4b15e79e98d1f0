/** The gateway's refusals: for HTTP with a status, for gRPC with a gRPC status in a trailers-only response. */
import type { TokenRefusal } from '@tinkerbell/platform-contract';
import type { HeaderFields } from './header-fields.ts';

export interface Refusal {
  readonly status: number;
  /** A kebab-case noun for counters and the log. */
  readonly reason: string;
  /** One line, for people. */
  readonly message: string;
  readonly fields?: HeaderFields;
}

export interface Answer {
  readonly status: number;
  readonly fields: HeaderFields;
  readonly text: string;
}

/**
 * https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md, with the statuses that it omits.
 */
const GRPC_STATUS: Readonly<Record<number, number>> = {
  400: 13,
  401: 16,
  403: 7,
  404: 12,
  408: 4,
  413: 8,
  421: 12,
  429: 8,
  502: 14,
  503: 14,
  504: 4,
};
const UNKNOWN = 2;

/** The trailers of a call whose upstream ends it without trailers. */
export const LOST = { 'grpc-status': '14', 'grpc-message': 'the upstream disconnected' } as const;

export function refusalAnswer({ status, message, fields = {} }: Refusal, isGrpc: boolean): Answer {
  if (!isGrpc)
    return {
      status,
      fields: {
        ...fields,
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      },
      text: `${message}\n`,
    };
  return {
    status: 200,
    fields: {
      'content-type': 'application/grpc',
      'grpc-status': String(GRPC_STATUS[status] ?? UNKNOWN),
      'grpc-message': grpcMessage(message),
    },
    text: '',
  };
}

/** Percent-encodes the text as gRPC's protocol requires. */
export function grpcMessage(message: string): string {
  return encodeURIComponent(message).replaceAll(/%(2[0-4]|2[6-9A-F]|3[A-F]|40|5[B-F]|60|7[B-E])/g, (escape) =>
    decodeURIComponent(escape),
  );
}

export function tokenRefusal(
  refused: { readonly reason: TokenRefusal; readonly message: string } | undefined,
): Refusal {
  if (refused === undefined)
    return {
      status: 401,
      reason: 'token-missing',
      message: 'a token is required: Authorization: Bearer TOKEN',
      fields: { 'www-authenticate': 'Bearer' },
    };
  const { reason, message } = refused;
  if (reason === 'keys-unavailable')
    return { status: 503, reason: 'token-keys-unavailable', message, fields: { 'retry-after': '5' } };
  const description = message.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, String.raw`\$&`);
  return {
    status: 401,
    reason: `token-${reason}`,
    message: `the token is invalid: ${message}`,
    fields: { 'www-authenticate': `Bearer error="invalid_token", error_description="${description}"` },
  };
}

/**
 * Returns the token of an Authorization field. Returns undefined when there is no bearer token, and a refusal
 * when the field is ambiguous.
 */
export function bearerToken(authorization: string | undefined): string | Refusal | undefined {
  const match = /^Bearer(?: +(.*))?$/is.exec(authorization ?? '');
  if (match === null) return undefined;
  const token = match[1] ?? '';
  return /^[!-~]+$/.test(token)
    ? token
    : tokenRefusal({ reason: 'malformed', message: 'Bearer must be followed by one token without spaces' });
}
