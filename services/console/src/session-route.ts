/** `/console/session`: signs a browser in and out. */
import {
  readBodyText,
  WholeResponse,
  type Authenticator,
  type HttpRequest,
} from '@tinkerbell/platform-contract';
import type { OidcSignIn } from './oidc-sign-in.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import { foreignRequest } from './same-origin.ts';
import type { Sessions } from './sessions.ts';

export interface SessionDeps {
  readonly sessions: Sessions;
  readonly authenticator: Authenticator;
  readonly links: OneTimeLinks;
  /** The token that a one-time link signs in with. */
  readonly localToken: string;
  /** Undefined without an identity provider. */
  readonly oidc?: OidcSignIn | undefined;
  readonly version: string;
  /** Names of the services that this server runs. */
  readonly services: readonly string[];
}

const OIDC_CALLBACK = '/console/signed-in';
const UNUSABLE_LINK =
  'this link has been used, or is older than 15 minutes; restart the server for a new one, or sign in with a token';

/** Never rejects. Every answer is JSON with `message` if it failed. */
export async function sessionAnswer(deps: SessionDeps, request: HttpRequest): Promise<Response> {
  if (request.method === 'GET') return json(200, described(deps));
  const foreign = foreignRequest(request);
  if (foreign !== undefined) return failed(403, foreign);
  switch (request.method) {
    case 'DELETE':
      return json(200, {}, deps.sessions.end(request));
    case 'POST':
      return signedIn(deps, request);
    default:
      return failed(405, 'only GET, POST and DELETE');
  }
}

function described({ oidc, version }: SessionDeps): object {
  return { version, oidc: oidc === undefined ? null : { issuer: oidc.issuer } };
}

async function signedIn(deps: SessionDeps, request: HttpRequest): Promise<Response> {
  const wish = await wishIn(request);
  if (wish === undefined) return failed(400, 'the body must be a JSON object with token, link or oidc');
  if (wish['oidc'] === true) return begun(deps, request);
  const found = await tokenFor(deps, wish);
  if ('failure' in found) return failed(401, found.failure);
  const { token } = found;
  const known = await deps.authenticator.authenticate({ authorization: `Bearer ${token}` });
  if (known?.ok !== true) return failed(401, known?.message ?? 'the token is invalid');
  const cookie = deps.sessions.begin(token, request);
  if (cookie === undefined)
    return failed(
      400,
      'the token is too long for a cookie; let the identity provider put fewer groups and claims into its ID token',
    );
  return json(200, { user: known.user, services: deps.services }, cookie);
}

type Found = { readonly token: string } | { readonly failure: string };

async function tokenFor(deps: SessionDeps, wish: Readonly<Record<string, unknown>>): Promise<Found> {
  const { token, link, returned, kept } = wish;
  if (typeof token === 'string') return { token: token.trim() };
  if (typeof link === 'string')
    return deps.links.take(link) ? { token: deps.localToken } : { failure: UNUSABLE_LINK };
  if (typeof returned !== 'string' || typeof kept !== 'string' || deps.oidc === undefined)
    return { failure: 'the body must have token, link, or returned and kept' };
  return deps.oidc.finish({ returned, kept });
}

/** The Origin is that of this server, as the provider and the browser know it. */
async function begun({ oidc }: SessionDeps, { headers }: HttpRequest): Promise<Response> {
  if (oidc === undefined)
    return failed(404, 'no identity provider is configured; set --oidc-issuer-url and --oidc-client-id');
  const begin = await oidc.begin(`${headers.get('origin')}${OIDC_CALLBACK}`);
  return 'failure' in begin ? failed(502, begin.failure) : json(200, begin);
}

/** Longer than any token that fits into a cookie. */
const BODY_BYTES_MAX = 64 * 1024;

async function wishIn(request: HttpRequest): Promise<Readonly<Record<string, unknown>> | undefined> {
  const body = await readBodyText(request, { bytes: BODY_BYTES_MAX });
  if (!body.ok) return undefined;
  try {
    const value: unknown = JSON.parse(body.value);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function failed(status: number, message: string): Response {
  return json(status, { message });
}

function json(status: number, value: object, cookie?: string): Response {
  return new WholeResponse(`${JSON.stringify(value)}\n`, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    },
  });
}
