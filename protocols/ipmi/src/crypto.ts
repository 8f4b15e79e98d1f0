export type HashAlgorithm = 'sha1' | 'sha256';

/** The primitives that sessions need. They are parameters, because this package is pure. */
export interface IpmiCrypto {
  /** HMAC (RFC 2104), 20 bytes for SHA-1 and 32 for SHA-256. */
  hmac(algorithm: HashAlgorithm, key: Uint8Array, bytes: Uint8Array): Uint8Array;
  /** MD5 (RFC 1321), which only sessions of IPMI 1.5 use. */
  md5(bytes: Uint8Array): Uint8Array;
  /** AES-128 in CBC mode without padding. `bytes` has a multiple of 16 bytes. */
  aesCbcEncrypt(key: Uint8Array, iv: Uint8Array, bytes: Uint8Array): Uint8Array;
  aesCbcDecrypt(key: Uint8Array, iv: Uint8Array, bytes: Uint8Array): Uint8Array;
}
