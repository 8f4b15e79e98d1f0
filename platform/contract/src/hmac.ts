/** Cryptography that decisions need. It is passed as a parameter, like clocks and randomness. */
export interface Hmac {
  /** HMAC-SHA-256 (RFC 2104), 32 bytes. */
  hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array;
  /** Compares in constant time. Returns false for different lengths. */
  timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean;
}
