/** Names are kube-apiserver's where it has the flag. */
import { boolean, flagGroup, list, number, text } from '../flag.ts';

export const accessFlags = flagGroup('Access to the API', {
  'api-anonymous': text(
    'who may use the whole API without a credential: none, or everyone (only for isolated test networks)',
    { default: 'none' },
  ),
  'api-anonymous-hosts': list(
    'with --api-anonymous=everyone: host names allowed in requests. Addresses and localhost are always allowed',
  ),
  'local-api-port': number(
    'port on 127.0.0.1 of the API over TLS, written to DATA_DIR/kubeconfig. A free port is used when it is taken',
    { default: '7444' },
  ),
  'console-enabled': boolean('serve the web console at /console/', { default: 'true' }),
  'console-login-link': boolean(
    'log a link that signs in to the web console once, also when the log is not a terminal',
    { default: 'false' },
  ),
  'client-ca-file': text(
    'authorities of client certificates on the HTTPS port, PEM. The common name is the user, organizations are groups',
  ),
  'service-account-issuer': text('issuer of the tokens that this server signs', {
    default: 'https://tinkerbell.internal',
  }),
  'oidc-issuer-url': text('identity provider whose tokens are accepted; must equal their iss claim'),
  'oidc-client-id': text('required audience of its tokens'),
  'oidc-jwks-url': text('URL of its keys', { fallback: 'from its /.well-known/openid-configuration' }),
  'oidc-username-claim': text('claim with the user name', { default: 'sub' }),
  'oidc-username-prefix': text('prefix of user names; - for none', { default: 'oidc:' }),
  'oidc-groups-claim': text('claim with the groups, in addition to Keycloak roles', { default: 'groups' }),
  'oidc-groups-prefix': text('prefix of groups and roles; - for none', { default: 'oidc:' }),
  'oidc-signing-algs': list('accepted signature algorithms (RFC 7518)', { default: 'RS256' }),
  'oidc-scopes': list(
    'scopes that tink login requests in addition to openid, where the provider offers them',
    {
      default: 'profile,groups,offline_access',
    },
  ),
  'oidc-required-claim': list('claims that its tokens must have, such as hd=example.org'),
});
