/**
 * AES-256-GCM (NIST SP 800-38D) with several keys. The first one seals, and each opens what it has sealed.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export interface Cipher {
  /** `context` is not stored. The same context is required to open the value. */
  seal(text: string, context: string): string;
  /** Returns a value that was never sealed unchanged. Throws when the value was changed, or its key is not available. */
  open(sealed: string, context: string): string;
}

const PREFIX = 'sealed:v1:';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys in base64, one per line or separated by commas. Lines that begin with # are comments. */
export function parseKeys(
  text: string,
):
  | { readonly ok: true; readonly keys: readonly Uint8Array[] }
  | { readonly ok: false; readonly message: string } {
  const words = text
    .split(/[\n,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '' && !word.startsWith('#'));
  if (words.length === 0) return { ok: false, message: `holds no key; ${HOW_TO_MAKE}` };
  const keys = words.map((word) => Buffer.from(word, 'base64'));
  const wrong = keys.findIndex((key) => key.length !== KEY_BYTES);
  if (wrong < 0) return { ok: true, keys };
  const bytes = keys[wrong]?.length ?? 0;
  return {
    ok: false,
    message: `key ${wrong + 1} has ${bytes} bytes instead of ${KEY_BYTES}; ${HOW_TO_MAKE}`,
  };
}

const HOW_TO_MAKE = 'create one with: head -c 32 /dev/urandom | base64';

/** Needs at least one key of 32 bytes. */
export function createAesCipher(keys: readonly Uint8Array[]): Cipher {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  const [newest] = byId;
  if (newest === undefined) throw new Error('a cipher needs a key');
  const [newestId, newestKey] = newest;
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newestKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${PREFIX}${newestId}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`;
    },
    open(sealed, context) {
      if (!sealed.startsWith(PREFIX)) return sealed;
      const [id = '', text = ''] = sealed.slice(PREFIX.length).split(':');
      const key = byId.get(id);
      if (key === undefined)
        throw new Error(`a secret is sealed with key ${id}, which is missing; add it to --secrets-key-file`);
      return opened(key, Buffer.from(text, 'base64'), context);
    },
  };
}

function opened(key: Uint8Array, bytes: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(text).toString('utf8');
  } catch (cause) {
    throw new Error('a secret was changed in the store, or replaced by another', { cause });
  }
}

/** Distinguishes keys without revealing them. */
function keyIdOf(key: Uint8Array): string {
  return createHash('sha256').update('tinkerbell key id').update(key).digest('hex').slice(0, 8);
}
