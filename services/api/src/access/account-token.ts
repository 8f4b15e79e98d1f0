/** Tokens of ServiceAccounts: `POST …/serviceaccounts/NAME/token` (authentication.k8s.io/v1 TokenRequest), and the keys to verify them. */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import { ApiError, invalid } from '../api-error.ts';
import { bodyProblems, type BodySchema } from '../body-schema.ts';

export interface AccountTokens {
  /** A URL, which is also the audience when the request names none. */
  readonly issuer: string;
  /** A JWKS (RFC 7517). */
  readonly publicKeys: object;
  sign(claims: Readonly<Record<string, unknown>>, ttlSeconds: number): Promise<string>;
}

const SECONDS_MIN = 600;
const SECONDS_MAX = 366 * 24 * 3600;
const SECONDS_DEFAULT = 3600;

/** What a client sends along and we do not look at. */
const anything: BodySchema = { additionalProperties: {} };

const schema: BodySchema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: anything,
    status: anything,
    spec: {
      type: 'object',
      properties: {
        audiences: { type: 'array', items: { type: 'string', maxLength: 1024 } },
        expirationSeconds: { type: 'integer', minimum: SECONDS_MIN },
        boundObjectRef: anything,
      },
    },
  },
};

interface TokenSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
}

/** Bound to the account as it is: one of its name that comes later is another. Rejects with an ApiError. */
export async function tokenFor(
  deps: { readonly tokens?: AccountTokens; readonly clock: Clock },
  { metadata }: Resource,
  body: unknown,
): Promise<object> {
  const { clock } = deps;
  const { namespace, name } = metadata;
  const tokens = signing(deps.tokens);
  const request = withoutNulls(body);
  const problems = bodyProblems(schema, request);
  if (problems.length > 0) throw invalid('TokenRequest', name, problems);
  const spec = (request as { spec?: TokenSpec }).spec ?? {};
  const seconds = spec.expirationSeconds ?? SECONDS_DEFAULT;
  if (seconds > SECONDS_MAX) {
    const message = `must be at most ${SECONDS_MAX} (a year)`;
    const path = ['spec', 'expirationSeconds'];
    throw invalid('TokenRequest', name, [{ reason: 'invalid', path, value: seconds, message }]);
  }
  const audiences =
    spec.audiences === undefined || spec.audiences.length === 0 ? [tokens.issuer] : spec.audiences;
  const claims = accountClaims(metadata, audiences);
  const expirationTimestamp = new Date(clock.nowMs() + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name, namespace },
    spec: { audiences, expirationSeconds: seconds },
    status: { token: await tokens.sign(claims, seconds), expirationTimestamp },
  };
}

/** Throws an ApiError where there is no key. */
export function signing(tokens: AccountTokens | undefined): AccountTokens {
  if (tokens !== undefined) return tokens;
  throw new ApiError('ServiceUnavailable', 'this server has no key to sign tokens with; its log says why');
}

/** What a token says of its account, as tokens of Kubernetes do. */
export function accountClaims(
  { namespace, name, uid }: Pick<Resource['metadata'], 'namespace' | 'name' | 'uid'>,
  audiences: readonly string[],
): Readonly<Record<string, unknown>> {
  return {
    sub: `system:serviceaccount:${namespace}:${name}`,
    aud: audiences,
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  };
}

/** Clients in Go write what they do not say as null. */
function withoutNulls(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body ?? {}), (_key, value: unknown) => value ?? undefined) as unknown;
}

/** Where `issuerDocument` answers. */
export const ISSUER_PATHS: readonly string[] = ['/openid/v1/', '/.well-known/openid-configuration'];

/** What a verifier of our tokens asks for (OpenID Connect Discovery 1.0), or undefined. */
export function issuerDocument(path: string, { issuer, publicKeys }: AccountTokens): object | undefined {
  if (path === '/openid/v1/jwks') return publicKeys;
  if (path !== '/.well-known/openid-configuration') return undefined;
  return {
    issuer,
    jwks_uri: `${issuer.replace(/\/$/, '')}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}
