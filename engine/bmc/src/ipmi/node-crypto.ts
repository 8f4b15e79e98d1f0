import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import type { IpmiCrypto } from '@tinkerbell/ipmi';
import { plainBytes } from '@tinkerbell/wire';

/** The primitives of Node. */
export const nodeIpmiCrypto: IpmiCrypto = {
  hmac: (algorithm, key, bytes) => plainBytes(createHmac(algorithm, key).update(bytes).digest()),
  md5: (bytes) => plainBytes(createHash('md5').update(bytes).digest()),
  aesCbcEncrypt: (key, iv, bytes) =>
    plainBytes(createCipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
  aesCbcDecrypt: (key, iv, bytes) =>
    plainBytes(createDecipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
};
