/**
 * Issues tokens of ServiceAccounts: `POST …/serviceaccounts/NAME/token` (authentication.k8s.io/v1 TokenRequest), and publishes
 * the keys to verify them.
 */
import type { Clock } from '@tinkerbell/platform-contract';
import { isRecord, type Resource } from '@tinkerbell/resources';
import { ApiError, invalid } from '../api-error.ts';
import { bodyProblems, type BodySchema } from '../body-schema.ts';

export interface AccountTokens {
  /** A URL, which is also the default audience. */
  readonly issuer: string;
  /** A JWKS (RFC 7517). */
  readonly publicKeys: object;
  sign(claims: Readonly<Record<string, unknown>>, ttlSeconds: number): Promise<string>;
}

const SECONDS_MIN = 600;
const SECONDS_MAX = 366 * 24 * 3600;
const SECONDS_DEFAULT = 3600;

/** Fields that clients send and that the server ignores. */
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

/**
 * Issues a token that is bound to the account's uid, so that a later account of the same name is another one. Rejects with an
 * ApiError.
 */
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
  const spec = specOf(request);
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

/** `request` is valid by the schema. */
function specOf(request: unknown): TokenSpec {
  const spec = isRecord(request) ? request['spec'] : undefined;
  if (!isRecord(spec)) return {};
  const { audiences, expirationSeconds: seconds } = spec;
  return {
    ...(Array.isArray(audiences) ? { audiences: audiences.filter((one) => typeof one === 'string') } : {}),
    ...(typeof seconds === 'number' ? { expirationSeconds: seconds } : {}),
  };
}

/** Throws an ApiError without a key. */
export function signing(tokens: AccountTokens | undefined): AccountTokens {
  if (tokens !== undefined) return tokens;
  throw new ApiError('ServiceUnavailable', 'the server has no key to sign tokens; see its log');
}

/** Returns the claims about the account, like tokens of Kubernetes. */
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

/** Clients in Go send undefined values as null. */
function withoutNulls(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body ?? {}), (_key, value: unknown) => value ?? undefined) as unknown;
}

/** The paths that `issuerDocument` answers. */
export const ISSUER_PATHS: readonly string[] = ['/openid/v1/', '/.well-known/openid-configuration'];

/** Returns the document that verifiers of our tokens request (OpenID Connect Discovery 1.0), or undefined. */
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
