import { ANONYMOUS, MASTERS, type User } from '@tinkerbell/access';
import {
  isForwarded,
  type Authenticator,
  type HttpContext,
  type HttpRequest,
} from '@tinkerbell/platform-contract';

/** Who may use the API without saying who he is. `loopback`: this machine only. */
export type ApiAudience = 'loopback' | 'everyone' | 'none';

/** Before there were roles this machine could do everything, and it still can: who has its files has the store. */
const NOBODY: User = { ...ANONYMOUS, groups: [...ANONYMOUS.groups, MASTERS] };

export type Admitted =
  | { readonly user: User }
  /** In words for the sender. */
  | { readonly code: 401 | 403; readonly message: string; readonly isBadToken?: boolean };

export interface Door {
  /** Nobody can say who he is when absent. */
  readonly authenticator?: Authenticator | undefined;
  readonly anonymous: ApiAudience;
}

type Reached = Pick<HttpContext, 'peer' | 'localAddress' | 'clientCertificate'>;

/** Whose request it is. A browser sends certificates by itself, so that a page needs a token, which no page has by accident. */
export async function admitted(request: HttpRequest, context: Reached, door: Door): Promise<Admitted> {
  const authorization = request.headers.get('authorization') ?? undefined;
  if (authorization === undefined && request.headers.has('origin'))
    return { code: 403, message: 'the API answers web pages only with a token' };
  const { clientCertificate: certificate } = context;
  const found = await door.authenticator?.authenticate({
    authorization,
    ...(certificate === undefined ? {} : { certificate }),
  });
  if (found?.ok === true) return { user: found.user };
  if (found !== undefined) return { code: 401, message: found.message, isBadToken: true };
  return anonymous(request, context, door.anonymous);
}

/** It is the sender's place that counts, not that of a proxy on this machine; one that got in by rebinding its name to our address still says that name in Host. */
function anonymous(request: HttpRequest, context: Reached, audience: ApiAudience): Admitted {
  if (audience === 'everyone') return { user: NOBODY };
  if (audience === 'none' || !isThisMachine(context) || isForwarded((name) => request.headers.has(name)))
    return { code: 401, message: wayIn(context, audience) };
  const { hostname } = new URL(request.url);
  const isAddress = /^[\d.]+$|^\[.*\]$/.test(hostname);
  if (isAddress || hostname === 'localhost') return { user: NOBODY };
  return { code: 403, message: `the API is reached by address or as localhost, not as ${hostname}` };
}

function wayIn({ peer }: Reached, audience: ApiAudience): string {
  const who = audience === 'none' ? 'nobody' : 'this machine only';
  return (
    `the API answers ${who} without a token or a client certificate; ${peer.address} needs a token, ` +
    'which "tink token create" makes on the server, or the server to run with --api-anonymous=everyone'
  );
}

/** On loopback, or reaching an address of ours from that same address, as the system connects to itself. */
function isThisMachine({ peer, localAddress }: Reached): boolean {
  return peer.address.startsWith('127.') || peer.address === '::1' || peer.address === localAddress;
}
