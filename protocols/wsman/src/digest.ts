/** HTTP digest authentication (RFC 7616), with the algorithms MD5 and SHA-256 and the quality of protection `auth`. */

export type DigestAlgorithm = 'MD5' | 'SHA-256';

export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: DigestAlgorithm;
  /** False for services of RFC 2069, which know no quality of protection. */
  readonly hasAuth: boolean;
  readonly opaque: string | undefined;
}

/** Hashes text as UTF-8. Returns lower-case hex. */
export type DigestHash = (algorithm: DigestAlgorithm, text: string) => string;

export interface DigestRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly uri: string;
  readonly username: string;
  readonly password: string;
  /** Of the requests with this nonce, from 1. */
  readonly count: number;
  /** Chosen by the client for each request. */
  readonly clientNonce: string;
}

const PARAMETER = /([a-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/** Reads `WWW-Authenticate`. Undefined when the service offers no digest that this client has. */
export function parseDigestChallenge(header: string): DigestChallenge | undefined {
  const start = /(?:^|,\s*)digest\s+/i.exec(header);
  if (start === null) return undefined;
  const parameters = parametersIn(header.slice(start.index + start[0].length));
  const nonce = parameters.get('nonce');
  const algorithm = algorithmOf(parameters.get('algorithm'));
  if (nonce === undefined || algorithm === undefined) return undefined;
  const qualities = parameters
    .get('qop')
    ?.toLowerCase()
    .split(/\s*,\s*/);
  if (qualities?.includes('auth') === false) return undefined;
  const realm = parameters.get('realm') ?? '';
  return { realm, nonce, algorithm, hasAuth: qualities !== undefined, opaque: parameters.get('opaque') };
}

/** The first of several parameters with the same name counts: later ones may belong to another challenge. */
function parametersIn(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quotedText, plain = ''] of text.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quotedText?.replace(/\\(.)/g, '$1') ?? plain);
  }
  return parameters;
}

function algorithmOf(name = 'MD5'): DigestAlgorithm | undefined {
  const upper = name.toUpperCase();
  return upper === 'MD5' || upper === 'SHA-256' ? upper : undefined;
}

/** Returns the header `Authorization` for a request. */
export function digestAuthorization(
  challenge: DigestChallenge,
  request: DigestRequest,
  hash: DigestHash,
): string {
  const { realm, nonce, algorithm, hasAuth, opaque } = challenge;
  const { method, uri, username, password, clientNonce } = request;
  const count = request.count.toString(16).padStart(8, '0');
  const secret = hash(algorithm, `${username}:${realm}:${password}`);
  const target = hash(algorithm, `${method}:${uri}`);
  const middle = hasAuth ? `${nonce}:${count}:${clientNonce}:auth` : nonce;
  const response = hash(algorithm, `${secret}:${middle}:${target}`);
  return [
    `Digest username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `algorithm=${algorithm}`,
    `response="${response}"`,
    ...(hasAuth ? ['qop=auth', `nc=${count}`, `cnonce=${quoted(clientNonce)}`] : []),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ].join(', ');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, '')}"`;
}
