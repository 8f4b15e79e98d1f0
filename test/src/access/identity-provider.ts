/** Runs a real OpenID provider on loopback, whose tokens have roles as Keycloak writes them. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Returns a signed token for this audience. */
  token(audience: string): Promise<string>;
}

/** The seconds for which a token of a person and a code of a device are valid. */
export interface Lifetimes {
  readonly idToken: number;
  readonly deviceCode: number;
}

const ROLES = {
  realm_access: { roles: ['lookers'] },
  resource_access: { tinkerbell: { roles: ['operators'] }, shop: { roles: ['owners'] } },
};

/** The client for people at a command line: no secret, and a new port each time (RFC 8252). */
const person = {
  client_id: 'tinkerbell',
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/console/signed-in'],
  response_types: ['code'],
};

/** `signingKey`: a private JWK for RS256, for tests that sign what the provider would not. */
export async function startIdentityProvider(
  signingKey?: object,
  { idToken, deviceCode }: Lifetimes = { idToken: 3600, deviceCode: 600 },
): Promise<IdentityProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = {
    client_id: 'ops',
    client_secret: 'loopback-only',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  };
  const provider = new Provider(issuer, {
    clients: [client, person],
    ...(signingKey === undefined ? {} : { jwks: { keys: [signingKey] } }),
    features: {
      devInteractions: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: '',
          audience: resource.replace('urn:', ''),
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: () => ROLES,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...ROLES }),
    }),
    claims: { openid: ['sub', 'realm_access', 'resource_access'] },
    conformIdTokenClaims: false,
    ttl: { IdToken: idToken, DeviceCode: deviceCode },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    async token(audience) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: `urn:${audience}` }),
      });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`the provider answered ${response.status}`);
      return token;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
