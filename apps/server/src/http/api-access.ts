import { ANONYMOUS, MASTERS, type User } from '@tinkerbell/access';
import type { Authenticator, HttpContext, HttpRequest } from '@tinkerbell/platform-contract';

/** Who may use the API without a credential. */
export type ApiAudience = 'everyone' | 'none';

/** What `--api-anonymous=everyone` makes of somebody without a credential. */
const EVERYBODY: User = { ...ANONYMOUS, groups: [...ANONYMOUS.groups, MASTERS] };

export type Admitted =
  | { readonly user: User }
  /** In words for the sender. */
  | { readonly code: 400 | 401 | 403; readonly message: string; readonly isBadToken?: boolean };

export interface Door {
  /** Nobody can say who he is when absent. */
  readonly authenticator?: Authenticator | undefined;
  readonly anonymous: ApiAudience;
  /** Host names that everyone may use, in lower case; addresses and localhost always may be. */
  readonly anonymousHosts: readonly string[];
}

type Reached = Pick<HttpContext, 'peer' | 'clientCertificate'>;

/**
 * Whose request it is. A source address proves nothing: forwards and proxies on this machine have the same one as its root user.
 * A browser sends certificates by itself, so that a page needs a token, which no page has by accident.
 *
 * `isPublic`: the path describes the API itself, which needs no identity. A credential that is given must be good all the same.
 */
export async function admitted(
  request: HttpRequest,
  context: Reached,
  { authenticator, anonymous, anonymousHosts, isPublic }: Door & { readonly isPublic: boolean },
): Promise<Admitted> {
  const authorization = request.headers.get('authorization') ?? undefined;
  if (authorization === undefined && request.headers.has('origin'))
    return { code: 403, message: 'the API answers web pages only with a token' };
  const found = await authenticator?.authenticate({ authorization, ...certificateOf(context) });
  if (found?.ok === true) return { user: found.user };
  if (found !== undefined) return { code: 401, message: found.message, isBadToken: true };
  if (anonymous === 'everyone') return rebound(request, anonymousHosts) ?? { user: EVERYBODY };
  return isPublic ? { user: ANONYMOUS } : { code: 401, message: wayIn(context) };
}

function certificateOf({ clientCertificate: certificate }: Reached) {
  return certificate === undefined ? {} : { certificate };
}

/** A page that has bound its own name to our address still says that name in Host. */
function rebound({ url }: HttpRequest, hosts: readonly string[]): Admitted | undefined {
  const { hostname } = new URL(url);
  // A URL's host in this form is an address: names that end in a number are not valid (WHATWG URL, host parsing).
  if (/^[\d.]+$|^\[.*\]$/.test(hostname) || ['localhost', ...hosts].includes(hostname)) return undefined;
  const message = `without a token the API is reached by address or as localhost, not as ${hostname}, unless --api-anonymous-hosts lists it`;
  return { code: 403, message };
}

function wayIn({ peer }: Reached): string {
  return (
    `the API needs a token or a client certificate; ${peer.address} sent none. On the server use DATA_DIR/kubeconfig, ` +
    'which tink and kubectl read; for other machines "tink token create" makes a token'
  );
}
