/** Verifies signed tokens: JSON Web Tokens (RFC 7519) in compact form. */

/** The verified claims about the holder of a token. It contains only verified values. */
export type Claims = Readonly<Record<string, unknown>>;

export type TokenRefusal =
  | 'malformed'
  | 'oversized'
  | 'unknown-issuer'
  | 'wrong-audience'
  | 'wrong-algorithm'
  | 'bad-signature'
  | 'unknown-key'
  | 'expired'
  | 'not-yet-valid'
  | 'missing-claim'
  /** The issuer's keys were unreachable. The token is not at fault, and the client can retry. */
  | 'keys-unavailable';

export type VerifiedToken =
  | { readonly ok: true; readonly claims: Claims; readonly issuer: string; readonly expiresMs: number }
  /** `message` is written for people. It contains nothing of the token except its issuer and key id. */
  | { readonly ok: false; readonly reason: TokenRefusal; readonly message: string };

export interface TokenVerifier {
  /** Never rejects. */
  verify(token: string): Promise<VerifiedToken>;
  /**
   * Returns true when `verify` would return `verified` again for the same token, without waiting for anything. Returns false when only
   * `verify` can decide.
   */
  stillHolds(verified: VerifiedToken): boolean;
}
