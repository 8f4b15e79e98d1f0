/** The authorization code flow of a native program (RFC 8252): a browser, PKCE (RFC 7636), and a listener on loopback. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { authorizationCodeGrant, buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client';
import type { Clock, Random } from '@tinkerbell/platform-contract';
import { nodeHttp } from '@tinkerbell/platform-node/node-http';
import { TinkFailure } from '../failure.ts';
import { issuerFailure } from './issuer-failure.ts';
import { issuerFetch } from './issuer-fetch.ts';
import type { Provider } from './provider-description.ts';
import { givenTokens, type GivenTokens } from './token-answer.ts';

export interface CodeLogin {
  readonly provider: Provider;
  readonly scope: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with the URL that the user must open. */
  readonly show: (url: string) => void;
}

/** Long enough for a second factor. */
const PATIENCE_MS = 600_000;
const SECRET_BYTES = 32;

/** Resolves after the login. Throws a TinkFailure if it is rejected, and after ten minutes. */
export async function loginByCode(login: CodeLogin): Promise<GivenTokens> {
  const { provider, scope, clock, random, show } = login;
  const { configuration, issuer, clientId, metadata, reach } = provider;
  if (metadata.authorization_endpoint === undefined)
    throw new TinkFailure(`the identity provider ${issuer} does not support browser logins`, {
      advice: 'try tink login --device',
    });
  const secret = (): string => Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  const [state, nonce, verifier] = [secret(), secret(), secret()];
  const listener = nodeHttp.createServer().listen(0, '127.0.0.1');
  try {
    await once(listener, 'listening');
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: `http://127.0.0.1:${port}/callback`,
      scope,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // Without it, some providers return no refresh token (OpenID Connect Core 1.0, section 11).
      ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
    });
    await refuseUnknownClient(url.href, provider);
    const cancel = new AbortController();
    const stop = clock.schedule(PATIENCE_MS, () => cancel.abort());
    const expected = { state, issuer, clientId, port };
    const arrived = redirectAt(listener, expected, AbortSignal.any([cancel.signal, reach.signal]));
    show(url.href);
    const redirect = await arrived.finally(stop);
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    return await givenTokens(provider, clock, authorizationCodeGrant(configuration, redirect, checks));
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

/**
 * Detects errors that a provider shows in the browser without a redirect (RFC 6749, section 4.1.2.1), so that tink does not
 * wait in vain.
 */
async function refuseUnknownClient(url: string, { clientId, reach }: Provider): Promise<void> {
  const answer = await issuerFetch(reach)(url, {
    method: 'GET',
    headers: { accept: 'application/json' },
    body: undefined,
    redirect: 'manual',
  });
  if (answer.status < 400 || answer.status >= 500) return;
  const text = await answer.text();
  if (/redirect_uri/.test(text))
    throw new TinkFailure(`the client ${JSON.stringify(clientId)} may not redirect to this machine`, {
      advice:
        'register http://127.0.0.1/callback with any port as a redirect URI, or use tink login --device',
    });
  throw issuerFailure(/invalid_scope/.test(text) ? 'invalid_scope' : 'invalid_client', undefined, clientId);
}

interface Expected {
  readonly state: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly port: number;
}

/** Rejects requests from other programs on this machine, which do not know the state. They change nothing. */
function redirectAt(listener: Server, expected: Expected, signal: AbortSignal): Promise<URL> {
  const { promise, resolve, reject } = Promise.withResolvers<URL>();
  signal.addEventListener('abort', () =>
    reject(new TinkFailure('nobody logged in', { advice: 'run tink login again' })),
  );
  listener.on('request', (request, response) => {
    const found = returned(request, expected);
    const [status, words] = pageFor(found);
    response
      .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      .end(`${words}\n`, () => {
        if (found instanceof TinkFailure) reject(found);
        else if (found !== undefined) resolve(found);
      });
  });
  return promise;
}

function pageFor(found: URL | TinkFailure | undefined): readonly [number, string] {
  if (found === undefined) return [400, 'No matching login is in progress.'];
  if (found instanceof TinkFailure) return [200, `Not logged in: ${found.message}.`];
  return [200, 'You are logged in. You can close this window.'];
}

/** Returns the address with a code, an error, or undefined for a request that does not belong to this login. */
function returned(
  { url = '' }: IncomingMessage,
  { state, issuer, clientId, port }: Expected,
): URL | TinkFailure | undefined {
  const here = `http://127.0.0.1:${port}`;
  const redirect = URL.parse(url, here);
  if (redirect?.origin !== here) return undefined;
  const { pathname, searchParams: parameters } = redirect;
  if (pathname !== '/callback' || parameters.get('state') !== state) return undefined;
  // The issuer must match (RFC 9207).
  if ((parameters.get('iss') ?? issuer) !== issuer) return undefined;
  const error = parameters.get('error');
  if (error !== null) return issuerFailure(error, parameters.get('error_description') ?? undefined, clientId);
  return parameters.has('code') ? redirect : undefined;
}
