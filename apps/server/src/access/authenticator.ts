/** Whose request it is: a client certificate, a token of ours, or a token of the identity provider, in this order. */
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
  /** Whether a token is the one of this server's data folder. */
  readonly acceptsLocal?: ((token: string) => boolean) | undefined;
  /** Of our own tokens. */
  readonly issuer: string;
  /** Of a ServiceAccount that is there now. */
  readonly accountUid: (namespace: string, name: string) => string | undefined;
  readonly oidc?: OidcSettings | undefined;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  return {
    async authenticate({ certificate, authorization }) {
      if (certificate?.isVerified === true) return certificateUser(certificate);
      if (authorization !== undefined) return tokenUser(deps, authorization);
      if (certificate === undefined) return undefined;
      return refused(`the client certificate is not accepted: ${certificate.message}`);
    },
  };
}

function certificateUser(certificate: Extract<ClientCertificate, { isVerified: true }>): Authentication {
  const { commonName, organizations } = certificate;
  if (commonName === '') return refused('the client certificate has no common name, which names the user');
  return { ok: true, user: { name: commonName, groups: [...organizations, AUTHENTICATED] } };
}

async function tokenUser(deps: AuthenticatorDeps, authorization: string): Promise<Authentication> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) return refused('the Authorization header must be "Bearer" and a token');
  if (deps.acceptsLocal?.(token) === true) return { ok: true, user: LOCAL_ADMIN };
  const verified = await deps.verifier.verify(token);
  if (!verified.ok) return refused(`the token is not accepted: ${verified.message}`);
  if (verified.issuer === deps.issuer) return accountUser(deps, verified.claims);
  const { oidc } = deps;
  const user =
    oidc === undefined ? undefined : userOfClaims(verified.claims, { ...oidc, client: oidc.clientId });
  if (user === undefined)
    return refused(`the token has no claim ${oidc?.usernameClaim ?? 'sub'} that names the user`);
  return foreignUser(user);
}

/** Names of ours are not for others to give, with whatever prefix. */
function foreignUser({ name, groups }: User): Authentication {
  if (name.startsWith('system:')) return refused('the identity provider names a user of the system');
  const own = groups.filter((group) => group === AUTHENTICATED || !group.startsWith('system:'));
  return { ok: true, user: { name, groups: own } };
}

function accountUser({ accountUid }: AuthenticatorDeps, claims: Claims): Authentication {
  const bound = claims['kubernetes.io'];
  const account = isRecord(bound) ? bound['serviceaccount'] : undefined;
  if (!isRecord(bound) || !isRecord(account)) return refused('the token is of no ServiceAccount');
  const [namespace, name] = [String(bound['namespace']), String(account['name'])];
  const uid = accountUid(namespace, name);
  if (uid === undefined || uid !== account['uid'])
    return refused(`the token is not accepted: its ServiceAccount ${namespace}/${name} has been deleted`);
  return { ok: true, user: serviceAccountUser(namespace, name) };
}

function refused(message: string): Authentication {
  return { ok: false, message };
}
