/** Signs browsers in with the identity provider: the code flow with PKCE (RFC 7636) of a public client. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
  type Configuration,
  type CustomFetch,
} from 'openid-client';
import { messageOf, type EndpointHttp, type Random } from '@tinkerbell/platform-contract';
import type { OidcSignIn, Seal } from '@tinkerbell/service-console';
import type { OidcSettings } from '../access/access-settings.ts';

export interface CodeFlowDeps {
  readonly endpoint: EndpointHttp;
  readonly random: Random;
  /** Seals what the browser keeps until it returns from the provider. */
  readonly seal: Seal;
}

const SECRET_BYTES = 32;
const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 1_048_576;

export function createCodeFlow(
  { issuer, clientId, scopes }: Pick<OidcSettings, 'issuer' | 'clientId' | 'scopes'>,
  deps: CodeFlowDeps,
): Pick<OidcSignIn, 'begin' | 'finish'> {
  const secret = (): string => Buffer.from(deps.random.bytes(SECRET_BYTES)).toString('base64url');
  const provider = () => discovered(issuer, clientId, deps.endpoint);
  return {
    async begin(redirectUri) {
      try {
        const configuration = await provider();
        const [state, nonce, verifier] = [secret(), secret(), secret()];
        const url = buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: ['openid', ...scopes.filter((one) => one !== 'openid' && one !== 'offline_access')].join(
            ' ',
          ),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        });
        return {
          url: url.href,
          kept: deps.seal.seal(JSON.stringify({ state, nonce, verifier, redirectUri })),
        };
      } catch (thrown) {
        return { failure: failureText(issuer, thrown) };
      }
    },
    async finish({ returned, kept }) {
      const opened = keptIn(deps.seal.open(kept));
      const url = URL.parse(returned);
      if (opened === undefined || url === null || `${url.origin}${url.pathname}` !== opened.redirectUri)
        return { failure: 'this sign-in was not started here; start it again' };
      try {
        const checks = {
          expectedState: opened.state,
          expectedNonce: opened.nonce,
          pkceCodeVerifier: opened.verifier,
          idTokenExpected: true,
        };
        const { id_token: token } = await authorizationCodeGrant(await provider(), url, checks);
        return token === undefined ? { failure: 'the identity provider sent no ID token' } : { token };
      } catch (thrown) {
        return { failure: failureText(issuer, thrown) };
      }
    },
  };
}

async function discovered(issuer: string, clientId: string, endpoint: EndpointHttp): Promise<Configuration> {
  const configuration = await discovery(new URL(issuer), clientId, {}, None(), {
    [customFetch]: fetchWith(endpoint),
    // The settings accept http on loopback only.
    execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
  });
  enableNonRepudiationChecks(configuration);
  return configuration;
}

/** The operator named the provider. Its redirects are not followed. */
function fetchWith(endpoint: EndpointHttp): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await endpoint.request(new URL(url), {
      method,
      headers,
      trust: { kind: 'authorities', certificates: [] },
      timeoutMs: TIMEOUT_MS,
      bytesMax: ANSWER_BYTES_MAX,
      ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
    });
    const type = { 'content-type': answer.headers.get('content-type') ?? '' };
    return new Response(answer.body === '' ? null : answer.body, { status: answer.status, headers: type });
  };
}

interface Kept {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

function keptIn(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isKept(value) ? value : undefined;
}

/** Our own seal proves that we wrote it. */
function isKept(value: unknown): value is Kept {
  return typeof value === 'object' && value !== null && 'redirectUri' in value;
}

function failureText(issuer: string, thrown: unknown): string {
  if (thrown instanceof ResponseBodyError)
    return `the identity provider ${issuer} refused: ${thrown.error_description ?? thrown.error}`;
  return `the sign-in with ${issuer} failed: ${messageOf(thrown)}`;
}
