import { ANONYMOUS, MASTERS, type User } from '@tinkerbell/access';
import {
  hostNameOf,
  type ApiRoute,
  type Authenticator,
  type HttpContext,
  type HttpRequest,
} from '@tinkerbell/platform-contract';
import type { SessionCredential, Sessions } from '@tinkerbell/service-console';

/** Who may use the API without a credential. */
export type ApiAudience = 'everyone' | 'none';

/** The user of requests without a credential under `--api-anonymous=everyone`. */
const EVERYBODY: User = { ...ANONYMOUS, groups: [...ANONYMOUS.groups, MASTERS] };

export type Admitted =
  | { readonly user: User }
  /** The reason for the client. */
  | { readonly code: 400 | 401 | 403; readonly message: string; readonly isBadToken?: boolean };

export interface Door {
  /** If undefined, no client can authenticate. */
  readonly authenticator?: Authenticator | undefined;
  /** Sessions of the web console, whose cookies count like their tokens. If undefined, cookies do not count. */
  readonly sessions?: Pick<Sessions, 'credentialOf'> | undefined;
  readonly anonymous: ApiAudience;
  /** Host names for anonymous requests, lower case. IP addresses and localhost are always allowed. */
  readonly anonymousHosts: readonly string[];
}

interface AskedAt extends Door {
  readonly isPublic: boolean;
  readonly authorizationOf?: ApiRoute['authorizationOf'];
}

type Reached = Pick<HttpContext, 'peer' | 'clientCertificate'>;

/**
 * Authenticates a request. A source address proves nothing, because forwards and proxies on this machine share the address of its
 * root user. Browsers send client certificates by themselves, so a web page needs a token, which no page has by accident.
 *
 * `isPublic`: the path describes the API and needs no identity. A given credential must still be valid.
 */
export async function admitted(request: HttpRequest, context: Reached, door: AskedAt): Promise<Admitted> {
  const { authenticator, anonymous, anonymousHosts, isPublic } = door;
  const given = credentialOf(request, door);
  if ('refused' in given) return { code: 401, message: given.refused };
  const { authorization } = given;
  if (authorization === undefined && request.headers.has('origin'))
    return { code: 403, message: 'requests from web pages need a token' };
  const found = await authenticator?.authenticate({ authorization, ...certificateOf(context) });
  if (found?.ok === true) return { user: found.user };
  if (found !== undefined) return { code: 401, message: found.message, isBadToken: true };
  if (anonymous === 'everyone') return rebound(request, anonymousHosts) ?? { user: EVERYBODY };
  return isPublic ? { user: ANONYMOUS } : { code: 401, message: wayIn(context) };
}

/** The cookie of a session counts only if the request has no other credential. */
function credentialOf(
  request: HttpRequest,
  { sessions, authorizationOf = authorizationIn }: AskedAt,
): SessionCredential | { readonly authorization: undefined } {
  const authorization = authorizationOf(request);
  if (authorization !== undefined) return { authorization };
  return sessions?.credentialOf(request) ?? { authorization };
}

function authorizationIn({ headers }: HttpRequest): string | undefined {
  return headers.get('authorization') ?? undefined;
}

function certificateOf({ clientCertificate: certificate }: Reached) {
  return certificate === undefined ? {} : { certificate };
}

/** Detects DNS rebinding: a page that points its own name to our address still sends that name in the Host header. */
function rebound({ url }: HttpRequest, hosts: readonly string[]): Admitted | undefined {
  const hostname = hostNameOf(url);
  // A URL host of this form is an address, because host names that end in a number are invalid (WHATWG URL, host parsing).
  if (/^[\d.]+$|^\[.*\]$/.test(hostname) || ['localhost', ...hosts].includes(hostname)) return undefined;
  const message = `host ${hostname} is not allowed for requests without a token; use an address or localhost, or add the host to --api-anonymous-hosts`;
  return { code: 403, message };
}

function wayIn({ peer }: Reached): string {
  return (
    `the API requires a token or a client certificate, and ${peer.address} sent none. On the server, use DATA_DIR/kubeconfig, ` +
    'which tink and kubectl read. For other machines, create a token with "tink token create"'
  );
}
