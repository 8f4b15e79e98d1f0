/** Signs the server's own tokens with ES256. They meet every requirement of the verifier. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '@tinkerbell/platform-contract';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JSONWebKeySet,
  type JWK,
} from 'jose';

const ALGORITHM = 'ES256';

export interface TokenSigner {
  /** `ttlSeconds` counts from now. */
  sign(claims: Readonly<Record<string, unknown>>, ttlSeconds: number): Promise<string>;
  /** The public keys, for verifiers. */
  readonly publicKeys: JSONWebKeySet;
}

/** Creates a private key as JWK, with its thumbprint (RFC 7638) as key id. */
export async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, alg: ALGORITHM, use: 'sig', kid: await calculateJwkThumbprint(jwk) };
}

/** Rejects when `key` is not a private key for ES256. */
export async function createTokenSigner(options: {
  readonly key: JWK;
  readonly issuer: string;
  readonly clock: Clock;
}): Promise<TokenSigner> {
  const { key, issuer, clock } = options;
  const { kid, kty, crv, x, y, d } = key;
  const isPrivate = d !== undefined && x !== undefined && y !== undefined;
  if (kid === undefined || kty !== 'EC' || crv !== 'P-256' || !isPrivate)
    throw new TypeError('a signing key must be a private EC key of curve P-256 with a key id');
  const privateKey = await importJWK(key, ALGORITHM);
  return {
    publicKeys: { keys: [{ kty, crv, x, y, kid, alg: ALGORITHM, use: 'sig' }] },
    sign(claims, ttlSeconds) {
      const seconds = Math.floor(clock.nowMs() / 1000);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setIssuedAt(seconds)
        .setNotBefore(seconds)
        .setExpirationTime(seconds + ttlSeconds)
        .setJti(randomUUID())
        .sign(privateKey);
    },
  };
}
