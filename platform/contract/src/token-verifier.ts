/** Tokens that somebody signed: JSON Web Tokens (RFC 7519) in compact form. */

/** What a token says of its holder; nothing but what was verified. */
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
  /** The keys of the issuer could not be had: no fault of the token; try again. */
  | 'keys-unavailable';

export type VerifiedToken =
  | { readonly ok: true; readonly claims: Claims; readonly issuer: string; readonly expiresMs: number }
  /** `message` is for people, and holds nothing of the token but its issuer and key id. */
  | { readonly ok: false; readonly reason: TokenRefusal; readonly message: string };

export interface TokenVerifier {
  /** Never rejects. */
  verify(token: string): Promise<VerifiedToken>;
}
