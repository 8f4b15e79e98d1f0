/** Tokens of registries: Docker's token authentication specification, https://distribution.github.io/distribution/spec/auth/token. */
import type { Challenge } from './challenge.ts';

/** A token as RFC 6750 allows it in a header. */
const TOKEN = /^[\w.~+/=-]+$/;
/** The lifetime of a token that names none. */
const LIFETIME_SECONDS = 60;

export interface RegistryToken {
  readonly token: string;
  readonly lifetimeSeconds: number;
}

/** The query of a request for a token. `scope` is used if the challenge has none: `repository:library/alpine:pull`. */
export function tokenQuery(
  { parameters }: Challenge,
  scope: string,
): readonly (readonly [name: string, value: string])[] {
  const { service, scope: asked } = parameters;
  const scopes = (asked ?? scope).split(' ').map((one) => ['scope', one] as const);
  return service === undefined ? scopes : [['service', service], ...scopes];
}

/**
 * Reads the answer of a token server. Older servers call the token `token`, and OAuth 2 calls it `access_token`.
 * Returns undefined if there is no valid token.
 */
export function readToken(text: string): RegistryToken | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { token, access_token: other, expires_in: seconds }: Record<string, unknown> = { ...value };
  const found = [token, other].find((one) => typeof one === 'string' && TOKEN.test(one));
  if (typeof found !== 'string') return undefined;
  const isLifetime = typeof seconds === 'number' && seconds > 0;
  return { token: found, lifetimeSeconds: isLifetime ? seconds : LIFETIME_SECONDS };
}
