/** Header fields in transit: which ones are forwarded, removed and added. */
import type { Claims } from '@tinkerbell/platform-contract';

/** Values by lower-case name. */
export type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

/** Fields for one connection only (RFC 9110 7.6.1), and `expect`, which the gateway has answered. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function oneValue(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/** Excludes pseudo-headers, connection-specific fields, and those that `Connection` names. */
export function endToEnd(fields: HeaderFields): Record<string, string | string[]> {
  const named = namedByConnection(fields);
  const kept: Record<string, string | string[]> = {};
  // Names without values, because a list of pairs would be created for each request.
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined && !name.startsWith(':') && !HOP_BY_HOP.has(name) && !named?.has(name))
      kept[name] = value;
  }
  return kept;
}

function namedByConnection(fields: HeaderFields): ReadonlySet<string> | undefined {
  const connection = oneValue(fields['connection']);
  return connection === undefined
    ? undefined
    : new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

export interface ForwardedFacts {
  /** The client's address, from the socket. */
  readonly peer: string;
  readonly isPeerTrusted: boolean;
  readonly scheme: 'http' | 'https';
  /** As the client wrote it. */
  readonly authority: string;
  readonly traceparent: string;
  /** Names that only the gateway may set: lower case, of letters, digits and hyphens. */
  readonly ownNames: ReadonlySet<string>;
}

/** Returns a client's fields as an upstream gets them. Forwarding fields of untrusted senders are dropped. */
export function upstreamFields(
  fields: HeaderFields,
  facts: ForwardedFacts,
): Record<string, string | string[]> {
  const { peer, isPeerTrusted, scheme, authority, traceparent, ownNames } = facts;
  const kept = endToEnd(fields);
  for (const name of Object.keys(kept)) {
    const plain = plainName(name);
    if (ownNames.has(plain) || (!isPeerTrusted && isAboutOrigin(plain))) delete kept[name];
  }
  const before = oneValue(kept['x-forwarded-for']);
  kept['x-forwarded-for'] = before === undefined ? peer : `${before}, ${peer}`;
  kept['x-forwarded-proto'] ??= scheme;
  kept['x-forwarded-host'] ??= authority;
  kept['traceparent'] = traceparent;
  if (oneValue(fields['te'])?.includes('trailers') === true) kept['te'] = 'trailers';
  return kept;
}

/**
 * Returns one name for all names that servers may treat as the same. CGI (RFC 3875 section 4.1.18), WSGI and
 * PHP turn `x-user` and `x_user` into `HTTP_X_USER`. Apache does so with `x.user` and any other character.
 */
function plainName(name: string): string {
  return PLAIN_NAME.test(name) ? name : name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
}

const PLAIN_NAME = /^[a-z0-9-]*$/;

function isAboutOrigin(plain: string): boolean {
  return plain === 'forwarded' || plain === 'x-real-ip' || plain.startsWith('x-forwarded-');
}

/** Returns the fields that carry claims of a token. */
export function claimFields(
  claims: Claims,
  claimsToHeaders: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [claim, header] of claimsToHeaders) {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    if (value !== undefined && value !== null) fields[header] = printable(shown(value));
  }
  return fields;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? value.join(',')
    : JSON.stringify(value);
}

/** Percent-encodes what a header cannot hold. */
function printable(value: string): string {
  return /^[!-~]([ -~]*[!-~])?$/.test(value) ? value : encodeURIComponent(value);
}

const PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/** W3C Trace Context: the caller's trace with a span of the gateway, or a new trace. `digits` are 48. */
export function traceparentOf(given: string | undefined, digits: string): string {
  const match = PARENT.exec(given ?? '');
  return `00-${match?.[1] ?? digits.slice(0, 32)}-${digits.slice(32)}-${match?.[2] ?? '00'}`;
}

export function isGrpcType(contentType: string | readonly string[] | undefined): boolean {
  return /^application\/grpc($|[+;])/.test(oneValue(contentType) ?? '');
}
