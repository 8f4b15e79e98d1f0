import { WholeResponse, type HttpRequest } from '@tinkerbell/platform-contract';
import type { ConfigKind } from './config-documents.ts';
import type { Machine } from './visitor.ts';

/** The kind of request: a closed set, because it labels counters. */
export type RequestKind =
  | 'listing'
  | 'meta-data'
  | 'user-data'
  | 'vendor-data'
  | 'network-config'
  | 'disk-layout'
  | ConfigKind
  | 'token'
  | 'phone-home'
  | 'unknown-path';

export type Outcome = keyof typeof statusOf;

/** A decision about one request: `responseTo` sends it, the timeline records it. */
export interface Answer {
  readonly kind: RequestKind;
  readonly outcome: Outcome;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The machine whose data it is, when that is not the visitor's. */
  readonly machine?: Machine;
}

const statusOf = {
  served: 200,
  'address-unparsable': 400,
  'lifetime-invalid': 400,
  'token-missing': 401,
  'token-unknown': 401,
  'session-missing': 401,
  'session-refused': 401,
  'session-foreign': 403,
  'proxy-untrusted': 403,
  'machine-unknown': 404,
  'machine-ambiguous': 404,
  // Not 403, which would reveal which MACs exist.
  'machine-foreign': 404,
  'path-unknown': 404,
  'no-user-data': 404,
  'method-unknown': 405,
  'body-too-long': 413,
  'view-not-ready': 503,
  'session-unverified': 503,
} as const;

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** As upstream: always text, no newline added, and no body where nothing was found. */
export function responseTo({ outcome, text = '', headers }: Answer): Response {
  return new WholeResponse(text, {
    status: statusOf[outcome],
    headers: headers === undefined ? HEADERS : { ...HEADERS, ...headers },
  });
}

export const pathUnknown: Answer = { kind: 'unknown-path', outcome: 'path-unknown' };

const READING = ['GET', 'HEAD'] as const;

/** Returns undefined when the method is allowed. */
export function methodProblem(
  request: HttpRequest,
  kind: RequestKind,
  allowed: readonly string[] = READING,
): Answer | undefined {
  if (allowed.includes(request.method)) return undefined;
  return { kind, outcome: 'method-unknown', headers: { allow: allowed.join(', ') } };
}
