/** Verifies tokens against a list of issuers, and caches verified tokens until they expire. */
import { hash } from 'node:crypto';
import {
  messageOf,
  setLatest,
  type Claims,
  type Clock,
  type TokenRefusal,
  type TokenVerifier,
  type VerifiedToken,
} from '@tinkerbell/platform-contract';
import { errors, jwtVerify } from 'jose';

import { readCompactToken, TOKEN_LENGTH_MAX } from './compact-token.ts';
import type { IssuerKeys, KeySet } from './issuer-keys.ts';

export interface Issuer {
  /** The `iss` of the issuer's tokens, compared character by character. */
  readonly issuer: string;
  /** A token must be for one of these audiences. An empty list accepts any. */
  readonly audiences: readonly string[];
  /** Algorithm names of RFC 7518. They are asymmetric unless the keys are secret. */
  readonly algorithms: readonly string[];
  readonly keys: IssuerKeys;
  /** Claims that must be present, with a given value or any value. */
  readonly requiredClaims?: Readonly<Record<string, string | true>>;
}

const SKEW_SECONDS = 60;
const REMEMBERED_MAX = 10_000;

interface Remembered {
  readonly verified: Extract<VerifiedToken, { ok: true }>;
  readonly issuer: Issuer;
  /** The version of the issuer's keys. */
  readonly version: number;
}

export function createTokenVerifier(issuers: readonly Issuer[], clock: Clock): TokenVerifier {
  return new Verifier(issuers, clock);
}

class Verifier implements TokenVerifier {
  readonly #issuers: ReadonlyMap<string, Issuer>;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered>();
  /** For those who keep what was verified. */
  readonly #byVerified = new WeakMap<VerifiedToken, Remembered>();

  constructor(issuers: readonly Issuer[], clock: Clock) {
    this.#issuers = new Map(issuers.map((one) => [one.issuer, one]));
    this.#clock = clock;
  }

  async verify(token: string): Promise<VerifiedToken> {
    if (token.length > TOKEN_LENGTH_MAX) return this.#verifyAnew(token);
    const key = hash('sha256', token, 'base64');
    const known = this.#remembered.get(key);
    if (known !== undefined && (await this.#isStillGood(known))) return known.verified;
    this.#remembered.delete(key);
    return this.#verifyAnew(token, key);
  }

  stillHolds(verified: VerifiedToken): boolean {
    const known = this.#byVerified.get(verified);
    return (
      known !== undefined &&
      known.issuer.keys.current()?.version === known.version &&
      this.#clock.nowMs() < known.verified.expiresMs
    );
  }

  /** An entry is valid neither after the token expires nor after the keys that verified it have changed. */
  async #isStillGood({ verified, issuer, version }: Remembered): Promise<boolean> {
    try {
      const set = await issuer.keys.keys(false);
      return set.version === version && this.#clock.nowMs() < verified.expiresMs;
    } catch {
      return false;
    }
  }

  /** `key` is the cache key. When it is absent, the result is not cached. */
  async #verifyAnew(token: string, key?: string): Promise<VerifiedToken> {
    const compact = readCompactToken(token);
    if (!compact.ok) return compact;
    const issuer = this.#issuers.get(compact.issuer ?? '');
    if (issuer === undefined)
      return refused('unknown-issuer', `tokens of issuer ${quoted(compact.issuer)} are not accepted`);
    if (!issuer.algorithms.includes(compact.algorithm))
      return refused('wrong-algorithm', `algorithm ${quoted(compact.algorithm)} is not accepted`);
    try {
      const set = await issuer.keys.keys(false);
      const verified = await this.#verifySigned(token, issuer, set);
      if (verified.ok && key !== undefined) this.#remember(key, { verified, issuer, version: set.version });
      return verified;
    } catch (error) {
      const message = messageOf(error);
      return refused('keys-unavailable', `the keys of the issuer are unreachable: ${message}`);
    }
  }

  /** A missing key may have been published since the keys were fetched. */
  async #verifySigned(token: string, issuer: Issuer, set: KeySet): Promise<VerifiedToken> {
    const first = await this.#check(token, issuer, set);
    if (first.ok || first.reason !== 'unknown-key') return first;
    const newer = await issuer.keys.keys(true);
    return newer.version === set.version ? first : this.#check(token, issuer, newer);
  }

  async #check(token: string, issuer: Issuer, set: KeySet): Promise<VerifiedToken> {
    try {
      const { payload } = await jwtVerify(token, set.key, {
        issuer: issuer.issuer,
        ...(issuer.audiences.length === 0 ? {} : { audience: [...issuer.audiences] }),
        algorithms: [...issuer.algorithms],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(this.#clock.nowMs()),
        requiredClaims: ['exp', ...Object.keys(issuer.requiredClaims ?? {})],
      });
      const missing = unmatchedClaim(payload, issuer);
      if (missing !== undefined) return refused('missing-claim', missing);
      const expiresMs = ((payload.exp ?? 0) + SKEW_SECONDS) * 1000;
      return { ok: true, claims: payload, issuer: issuer.issuer, expiresMs };
    } catch (error) {
      return refusalOf(error);
    }
  }

  #remember(key: string, entry: Remembered): void {
    setLatest(this.#remembered, [key, entry], REMEMBERED_MAX);
    this.#byVerified.set(entry.verified, entry);
  }
}

function unmatchedClaim(claims: Claims, { requiredClaims = {} }: Issuer): string | undefined {
  for (const [name, wanted] of Object.entries(requiredClaims)) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const values = Array.isArray(value) ? value : [value];
    if (wanted !== true && !values.includes(wanted)) return `claim ${name} must be ${wanted}`;
  }
  return undefined;
}

function refused(reason: TokenRefusal, message: string): Extract<VerifiedToken, { ok: false }> {
  return { ok: false, reason, message };
}

const refusals: Readonly<Record<string, readonly [TokenRefusal, string]>> = {
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: ['bad-signature', 'the signature does not match'],
  ERR_JWKS_NO_MATCHING_KEY: ['unknown-key', 'the issuer has no such key'],
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: ['unknown-key', 'the token names no key, and the issuer has several'],
  ERR_JOSE_ALG_NOT_ALLOWED: ['wrong-algorithm', 'the algorithm is not accepted'],
  ERR_JWT_EXPIRED: ['expired', 'the token has expired'],
};

function refusalOf(error: unknown): VerifiedToken {
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    if (reason === 'missing') return refused('missing-claim', `the token has no claim ${claim}`);
    if (claim === 'aud') return refused('wrong-audience', 'the token is for another audience');
    if (claim === 'nbf') return refused('not-yet-valid', 'the token is not valid yet');
    return refused('malformed', `claim ${claim} of the token is invalid`);
  }
  const code = error instanceof errors.JOSEError ? error.code : '';
  const [reason, message] = refusals[code] ?? ['malformed', 'the token is malformed'];
  return refused(reason, message);
}

/** Makes untrusted text safe for a message that is logged. */
function quoted(value: string | undefined): string {
  return value === undefined ? '(none)' : JSON.stringify(value.slice(0, 200));
}
