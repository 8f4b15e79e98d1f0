/**
 * Identifies the user of a request by a client certificate, one of our tokens, or a token of the identity provider, in this
 * order.
 */
import { AUTHENTICATED, LOCAL_ADMIN, serviceAccountUser, userOfClaims, type User } from '@tinkerbell/access';
import type {
  Authentication,
  Authenticator,
  Claims,
  ClientCertificate,
  TokenVerifier,
} from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import type { OidcSettings } from './access-settings.ts';

export interface AuthenticatorDeps {
  readonly verifier: TokenVerifier;
  /** True for the token of this server's data folder. */
  readonly acceptsLocal?: ((token: string) => boolean) | undefined;
  /** Verifies our own tokens. */
  readonly issuer: string;
  /** Returns whether the ServiceAccount of a token still exists. */
  readonly accountUid: (namespace: string, name: string) => string | undefined;
  readonly oidc?: OidcSettings | undefined;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  return {
    async authenticate({ certificate, authorization }) {
      if (certificate?.isVerified === true) return certificateUser(certificate);
      if (authorization !== undefined) return tokenUser(deps, authorization);
      if (certificate === undefined) return undefined;
      return refused(`the client certificate is invalid: ${certificate.message}`);
    },
  };
}

function certificateUser(certificate: Extract<ClientCertificate, { isVerified: true }>): Authentication {
  const { commonName, organizations } = certificate;
  if (commonName === '') return refused('the client certificate has no common name, which is the user name');
  return { ok: true, user: { name: commonName, groups: [...organizations, AUTHENTICATED] } };
}

async function tokenUser(deps: AuthenticatorDeps, authorization: string): Promise<Authentication> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) return refused('the Authorization header must contain "Bearer" and a token');
  if (deps.acceptsLocal?.(token) === true) return { ok: true, user: LOCAL_ADMIN };
  const verified = await deps.verifier.verify(token);
  if (!verified.ok) return refused(`the token is invalid: ${verified.message}`);
  if (verified.issuer === deps.issuer) return accountUser(deps, verified.claims);
  const { oidc } = deps;
  const user =
    oidc === undefined ? undefined : userOfClaims(verified.claims, { ...oidc, client: oidc.clientId });
  if (user === undefined)
    return refused(`the token has no claim ${oidc?.usernameClaim ?? 'sub'} with the user name`);
  return foreignUser(user);
}

/** Rejects reserved names from the identity provider, whatever the prefix. */
function foreignUser({ name, groups }: User): Authentication {
  if (name.startsWith('system:'))
    return refused('the identity provider returned a reserved user name (system:)');
  const own = groups.filter((group) => group === AUTHENTICATED || !group.startsWith('system:'));
  return { ok: true, user: { name, groups: own } };
}

function accountUser({ accountUid }: AuthenticatorDeps, claims: Claims): Authentication {
  const bound = claims['kubernetes.io'];
  const account = isRecord(bound) ? bound['serviceaccount'] : undefined;
  if (!isRecord(bound) || !isRecord(account)) return refused('the token does not belong to a ServiceAccount');
  const [namespace, name] = [String(bound['namespace']), String(account['name'])];
  const uid = accountUid(namespace, name);
  if (uid === undefined || uid !== account['uid'])
    return refused(`the token is invalid: its ServiceAccount ${namespace}/${name} has been deleted`);
  return { ok: true, user: serviceAccountUser(namespace, name) };
}

function refused(message: string): Authentication {
  return { ok: false, message };
}
