/** Cryptography that decisions need: handed in, as clocks and randomness are. */
export interface Hmac {
  /** HMAC-SHA-256 (RFC 2104), 32 bytes. */
  hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array;
  /** In a time that does not tell where they differ; false for different lengths. */
  timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean;
}
