import {
  type CallContext,
  decodeUtf8,
  encodeUtf8,
  FunctionError,
  type FunctionSpec,
  INT,
  intValue,
  STRING,
  stringValue,
} from '@tinkerbell/go-template';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { derivePassword } from './derive-password.ts';
import { integer, text } from './operands.ts';
import { type KeyKind, platformOf, type TemplatePlatform } from '../template-platform.ts';

/**
 * The cost of slow functions in the limit on values, so that a rendering can call each only a limited number
 * of times.
 */
export const SLOW_CALL_SIZE = { hash: 1 << 20, rsa2048: 1 << 21, rsa4096: 1 << 23, key: 1 << 16 } as const;

const UINT32 = { kind: 'uint32' } as const;
const AES_BLOCK = 16;
const AES_KEY = 32;

/** Sprig's functions with hashes, ciphers and randomness, except certificates. */
export function cryptoFunctions(given: TemplatePlatform | undefined): Readonly<Record<string, FunctionSpec>> {
  const platform = (name: string): TemplatePlatform => platformOf(given, name);
  return {
    sha1sum: digest('sha1', platform),
    sha256sum: digest('sha256', platform),
    sha512sum: digest('sha512', platform),
    bcrypt: ofTexts(1, ([password = ''], context) => bcrypt(password, platform('bcrypt'), context)),
    htpasswd: ofTexts(2, ([user = '', password = ''], context) =>
      user.includes(':')
        ? `invalid username: ${user}`
        : `${user}:${bcrypt(password, platform('htpasswd'), context)}`,
    ),
    encryptAES: ofTexts(2, ([password = '', plain = '']) =>
      encrypted(password, plain, platform('encryptAES')),
    ),
    decryptAES: ofTexts(2, ([password = '', secret = '']) =>
      decrypted(password, secret, platform('decryptAES')),
    ),
    genPrivateKey: ofTexts(1, ([kind = ''], context) => privateKey(kind, platform('genPrivateKey'), context)),
    shuffle: ofTexts(1, ([source = '']) => shuffled(source, platform('shuffle'))),
    randInt: {
      params: [INT, INT],
      result: INT,
      call: ([least, most]) => {
        const span = integer(most) - integer(least);
        if (span <= 0) throw new FunctionError('invalid argument to Intn');
        return intValue(integer(least) + randomBelow(span, platform('randInt')));
      },
    },
    derivePassword: {
      params: [UINT32, STRING, STRING, STRING, STRING],
      result: STRING,
      call: ([counter, shape, password, user, site], context) => {
        context.spend(SLOW_CALL_SIZE.hash);
        const request = { shape: text(shape), password: text(password), user: text(user), site: text(site) };
        return stringValue(
          derivePassword({ ...request, counter: integer(counter) }, platform('derivePassword')),
        );
      },
    },
  };
}

function ofTexts(
  count: number,
  make: (texts: readonly string[], context: CallContext) => string,
): FunctionSpec {
  return {
    params: Array.from({ length: count }, () => STRING),
    result: STRING,
    call: (values, context) => {
      for (const value of values) context.spend(text(value).length);
      return stringValue(make(values.map(text), context));
    },
  };
}

function digest(
  algorithm: 'sha1' | 'sha256' | 'sha512',
  platform: (name: string) => TemplatePlatform,
): FunctionSpec {
  return ofTexts(1, ([source = '']) => {
    const bytes = platform(`${algorithm}sum`).digest(algorithm, encodeUtf8(source));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  });
}

const BCRYPT_BYTES_MAX = 72;

function bcrypt(password: string, platform: TemplatePlatform, context: CallContext): string {
  context.spend(SLOW_CALL_SIZE.hash);
  const bytes = encodeUtf8(password);
  if (bytes.length <= BCRYPT_BYTES_MAX) return platform.bcrypt(bytes);
  return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes';
}

/** The first 32 bytes of the password are the key, padded with zeros. The result starts with the IV. */
function encrypted(password: string, plain: string, platform: TemplatePlatform): string {
  if (plain === '') return '';
  const content = encodeUtf8(plain);
  const padding = AES_BLOCK - (content.length % AES_BLOCK);
  const data = new Uint8Array(content.length + padding).fill(padding);
  data.set(content);
  const iv = platform.randomBytes(AES_BLOCK);
  const ciphertext = platform.aesCbc('encrypt', { key: aesKey(password), iv, data });
  const all = new Uint8Array(AES_BLOCK + ciphertext.length);
  all.set(iv);
  all.set(ciphertext, AES_BLOCK);
  return encodeBase64(all);
}

function decrypted(password: string, secret: string, platform: TemplatePlatform): string {
  if (secret === '') return '';
  const decoded = decodeBase64(secret);
  if (!decoded.ok) throw new FunctionError(decoded.error);
  const { bytes } = decoded;
  const { length } = bytes;
  if (length < AES_BLOCK) {
    throw new FunctionError(
      `runtime error: slice bounds out of range [:${AES_BLOCK}] with capacity ${length}`,
    );
  }
  if (length % AES_BLOCK !== 0) throw new FunctionError('crypto/cipher: input not full blocks');
  if (length === AES_BLOCK) throw new FunctionError('runtime error: index out of range [-1]');
  const [iv, data] = [bytes.subarray(0, AES_BLOCK), bytes.subarray(AES_BLOCK)];
  const plain = platform.aesCbc('decrypt', { key: aesKey(password), iv, data });
  const end = plain.length - (plain.at(-1) ?? 0);
  if (end < 0) throw new FunctionError(`runtime error: slice bounds out of range [:${end}]`);
  return decodeUtf8(plain.subarray(0, end));
}

function aesKey(password: string): Uint8Array {
  const key = new Uint8Array(AES_KEY);
  key.set(encodeUtf8(password).subarray(0, AES_KEY));
  return key;
}

function privateKey(kind: string, platform: TemplatePlatform, context: CallContext): string {
  const known: readonly KeyKind[] = ['rsa', 'dsa', 'ecdsa', 'ed25519'];
  const found = known.find((one) => one === (kind || 'rsa'));
  if (found === undefined) return `Unknown type ${kind}`;
  context.spend(found === 'rsa' || found === 'dsa' ? SLOW_CALL_SIZE.rsa4096 : SLOW_CALL_SIZE.key);
  return platform.generateKey(found);
}

function shuffled(source: string, platform: TemplatePlatform): string {
  const runes = Array.from(source);
  for (let i = runes.length - 1; i > 0; i--) {
    const j = randomBelow(i + 1, platform);
    [runes[i], runes[j]] = [runes[j] ?? '', runes[i] ?? ''];
  }
  return runes.join('');
}

/** Six bytes keep the bias below one in 2^48 of the count. Larger counts are cut. */
function randomBelow(count: number, platform: TemplatePlatform): number {
  const value = platform.randomBytes(6).reduce((sum, byte) => sum * 256 + byte, 0);
  return value % Math.min(count, 2 ** 48);
}
