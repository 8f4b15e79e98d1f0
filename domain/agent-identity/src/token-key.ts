/** HMAC-SHA-256 (RFC 2104) with the site's key, which this package never sees. */
export interface TokenKey {
  /** 32 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /** In a time that does not tell where they differ. */
  isSame(one: Uint8Array, other: Uint8Array): boolean;
}
