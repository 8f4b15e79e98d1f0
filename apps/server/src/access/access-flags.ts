/** Flags of who may use the API. Names are kube-apiserver's where it has the flag. */
import type { Flag } from '../settings/flag.ts';

function text(name: string, description: string, fallback = '', type: Flag['type'] = 'text'): Flag {
  return { name, type, default: fallback, description };
}

export const accessFlags: readonly Flag[] = [
  text(
    'api-anonymous',
    'who may use the whole API without a credential: none, or everyone (for isolated test networks only)',
    'none',
  ),
  text(
    'api-anonymous-hosts',
    'with --api-anonymous=everyone: host names that requests may use; addresses and localhost always may',
    '',
    'list',
  ),
  text(
    'local-api-port',
    'port on 127.0.0.1 of the API over TLS, which DATA_DIR/kubeconfig names; another free one when it is in use',
    '7444',
    'number',
  ),
  text(
    'client-ca-file',
    'authorities of client certificates on the HTTPS port, PEM: the common name is the user, organizations are groups',
  ),
  text('service-account-issuer', 'the issuer that our own tokens name', 'https://tinkerbell.internal'),
  text('oidc-issuer-url', 'identity provider whose tokens are accepted; its iss, character by character'),
  text('oidc-client-id', 'the audience its tokens must be for'),
  text('oidc-jwks-url', 'where its keys are; as its /.well-known/openid-configuration says when empty'),
  text('oidc-username-claim', 'claim that names the user', 'sub'),
  text('oidc-username-prefix', 'put before the name; - for nothing', 'oidc:'),
  text('oidc-groups-claim', 'claim with the groups, beside the roles of Keycloak', 'groups'),
  text('oidc-groups-prefix', 'put before groups and roles; - for nothing', 'oidc:'),
  text('oidc-signing-algs', 'algorithms of its signatures (RFC 7518)', 'RS256', 'list'),
  text(
    'oidc-scopes',
    'what tink login asks for, beside openid and as far as the provider offers it',
    'profile,groups,offline_access',
    'list',
  ),
  text('oidc-required-claim', 'claims its tokens must have, such as hd=example.org', '', 'list'),
];
