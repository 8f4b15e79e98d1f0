/** The authorization code flow of a native program (RFC 8252): a browser, PKCE (RFC 7636), and a listener on loopback. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '@tinkerbell/platform-contract';
import { nodeHttp } from '@tinkerbell/platform-node/node-http';
import { TinkFailure } from '../failure.ts';
import { askIssuer, issuerFailure } from './issuer-request.ts';
import { askForTokens, givenTokens, type GivenTokens, type TokenQuestion } from './token-answer.ts';

export interface CodeLogin {
  readonly question: TokenQuestion;
  readonly scope: string;
  readonly random: Random;
  /** Called with the URL that the user must open. */
  readonly show: (url: string) => void;
}

/** Long enough for a second factor. */
const PATIENCE_MS = 600_000;
const SECRET_BYTES = 32;

/** Resolves after the login. Throws a TinkFailure if it is rejected, and after ten minutes. */
export async function loginByCode({ question, scope, random, show }: CodeLogin): Promise<GivenTokens> {
  const { provider, clientId, reach, clock } = question;
  if (provider.authorizationUrl === undefined)
    throw new TinkFailure(`the identity provider ${provider.issuer} does not support browser logins`, {
      advice: 'try tink login --device',
    });
  const secret = (): string => Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  const [state, nonce, verifier] = [secret(), secret(), secret()];
  const expected = { state, issuer: provider.issuer, clientId };
  const listener = nodeHttp.createServer().listen(0, '127.0.0.1');
  try {
    await once(listener, 'listening');
    const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
    const url = new URL(provider.authorizationUrl);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      // Without it, some providers return no refresh token (OpenID Connect Core 1.0, section 11).
      ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    await refuseUnknownClient(url.href, question);
    const cancel = new AbortController();
    const stop = clock.schedule(PATIENCE_MS, () => cancel.abort());
    const arrived = codeAt(listener, expected, AbortSignal.any([cancel.signal, reach.signal]));
    show(url.href);
    const code = await arrived.finally(stop);
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const own = { ...question, nonce };
    return await givenTokens(own, await askForTokens(own, form));
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

/**
 * Detects errors that a provider shows in the browser without a redirect (RFC 6749, section 4.1.2.1), so that tink does not
 * wait in vain.
 */
async function refuseUnknownClient(url: string, { clientId, reach }: TokenQuestion): Promise<void> {
  const { status, text } = await askIssuer(url, reach);
  if (status < 400 || status >= 500) return;
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
}

/** Rejects requests from other programs on this machine, which do not know the state. They change nothing. */
function codeAt(listener: Server, expected: Expected, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
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

function pageFor(found: string | TinkFailure | undefined): readonly [number, string] {
  if (found === undefined) return [400, 'No matching login is in progress.'];
  if (found instanceof TinkFailure) return [200, `Not logged in: ${found.message}.`];
  return [200, 'You are logged in. You can close this window.'];
}

/** Returns the code, an error, or undefined for a request that does not belong to this login. */
function returned(
  { url = '' }: IncomingMessage,
  { state, issuer, clientId }: Expected,
): string | TinkFailure | undefined {
  const { pathname, searchParams: parameters } = new URL(url, 'http://127.0.0.1');
  if (pathname !== '/callback' || parameters.get('state') !== state) return undefined;
  // The issuer must match (RFC 9207).
  if ((parameters.get('iss') ?? issuer) !== issuer) return undefined;
  const error = parameters.get('error');
  if (error !== null) return issuerFailure(error, parameters.get('error_description') ?? undefined, clientId);
  return parameters.get('code') ?? undefined;
}
