/** Sets up authentication and authorization from the settings and the store. */
import type { Clock, HttpClient, HttpTarget, Log, Random } from '@tinkerbell/platform-contract';
import {
  createDiscoveredKeys,
  createRemoteKeys,
  createTokenSigner,
  createTokenVerifier,
  fixedKeys,
} from '@tinkerbell/platform-jwt';
import { uidOf } from '@tinkerbell/resources';
import { createPolicyBook } from '@tinkerbell/service-api';
import type { Store } from '@tinkerbell/store-contract';
import type { AccessSettings, OidcSettings } from './access-settings.ts';
import { createAuthenticator } from './authenticator.ts';
import { sharedSigningKey, signingKeyPlace } from './signing-key.ts';

export interface OpenAccessDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly httpClient: HttpClient;
  readonly acceptsLocal: (token: string) => boolean;
}

/** Dependencies of the API, the Provisioning API and the HTTP port. Follows the store until the signal. */
export async function openAccess(
  { issuer, oidc }: AccessSettings,
  deps: OpenAccessDeps,
  signal: AbortSignal,
) {
  const { store, clock, random, log } = deps;
  const book = createPolicyBook(deps);
  await book.start(signal);
  // Without a shared key, sessions of the web console end with this server.
  let sessionSecret = random.bytes(32);
  const signer = await sharedSigningKey(store, clock.nowMs(), uidOf(random.bytes(16)))
    .then((key) => {
      if (typeof key.d === 'string') sessionSecret = Buffer.from(key.d, 'base64url');
      return createTokenSigner({ key, issuer, clock });
    })
    .catch((thrown: unknown) => {
      log.warn('tokens are disabled: the signing key is unavailable', { error: String(thrown) });
    });
  const own = signer && {
    issuer,
    audiences: [issuer],
    algorithms: ['ES256'],
    keys: fixedKeys(signer.publicKeys),
  };
  const foreign = oidc && oidcIssuer(oidc, deps);
  const verifier = createTokenVerifier(
    [own, foreign].filter((one) => one !== undefined),
    clock,
  );
  return {
    authorizer: book,
    authenticator: createAuthenticator({
      verifier,
      acceptsLocal: deps.acceptsLocal,
      issuer,
      oidc,
      accountUid: (...of) => book.accountUid(...of),
    }),
    hidden: [signingKeyPlace],
    login: oidc,
    sessionSecret,
    ...(signer === undefined ? {} : { tokens: { ...signer, issuer } }),
  };
}

function oidcIssuer(oidc: OidcSettings, { httpClient, clock }: OpenAccessDeps) {
  const { issuer, jwksUrl, clientId, algorithms, requiredClaims } = oidc;
  // The operator configured the issuer, which may run on this machine. Do not follow its redirects.
  const named = new URL(jwksUrl ?? issuer).hostname.replace(/^\[|\]$/g, '');
  const mayConnect = ({ hostname, isThisMachine, redirects }: HttpTarget): boolean =>
    !isThisMachine || (hostname === named && redirects === 0);
  const options = { httpClient, clock, mayConnect };
  const keys =
    jwksUrl === undefined ? createDiscoveredKeys(issuer, options) : createRemoteKeys(jwksUrl, options);
  return { issuer, audiences: [clientId], algorithms, keys, requiredClaims };
}
