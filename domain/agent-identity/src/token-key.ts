/** HMAC-SHA-256 (RFC 2104) with the site's key, which this package never reads. */
export interface TokenKey {
  /** 32 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /** Compares in constant time. */
  isSame(one: Uint8Array, other: Uint8Array): boolean;
}
