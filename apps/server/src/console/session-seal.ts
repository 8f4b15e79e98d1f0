/** Encrypts sessions of browsers with AES-256-GCM. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Random } from '@tinkerbell/platform-contract';
import type { Seal } from '@tinkerbell/service-console';

const ALGORITHM = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES, KEY_BYTES] = [12, 16, 32];
/** Longer than what a cookie holds. */
const TEXT_BYTES_MAX = 64 * 1024;

/**
 * `secret` is the key that signs tokens, so that a session lasts over a restart and on every server of a store. Who has it can sign
 * tokens anyway. `purpose` separates the keys of different texts.
 */
export function createSeal(secret: Uint8Array, purpose: string, random: Random): Seal {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', `tinkerbell ${purpose}`, KEY_BYTES));
  return {
    seal(text) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce);
      const sealed = Buffer.concat([cipher.update(deflateRawSync(text)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const packed = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
        return inflateRawSync(Buffer.concat(packed), { maxOutputLength: TEXT_BYTES_MAX }).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
