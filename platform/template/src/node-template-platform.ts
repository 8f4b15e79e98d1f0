import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scryptSync,
} from 'node:crypto';
import { nodeClock } from '@tinkerbell/platform-node';
import type { TemplatePlatform } from '@tinkerbell/template';
import { certificateProblem, certify, generateKey, readKey } from '@tinkerbell/platform-x509';
import bcrypt from 'bcryptjs';

const BCRYPT_COST = 10;
/** The Master Password algorithm's; Node's own limit on memory is just below what they need. */
const SCRYPT = { N: 32_768, r: 8, p: 2, maxmem: 64 * 1024 * 1024 } as const;

/** What template functions need of the world, by Node's own crypto; bcrypt by bcryptjs. */
export const templatePlatform: TemplatePlatform = {
  nowMs: () => nodeClock.nowMs(),
  randomBytes: (count) => randomBytes(count),
  digest: (algorithm, data) => createHash(algorithm).update(data).digest(),
  hmacSha256: (key, data) => createHmac('sha256', key).update(data).digest(),
  scrypt: (password, salt, size) => scryptSync(password, salt, size, SCRYPT),
  bcrypt: (password) => {
    // Go writes version 2a, bcryptjs 2b; for at most 72 bytes they are the same.
    const salt = bcrypt.genSaltSync(BCRYPT_COST).replace('$2b$', '$2a$');
    return bcrypt.hashSync(new TextDecoder().decode(password), salt);
  },
  aesCbc: (direction, { key, iv, data }) => {
    const make = direction === 'encrypt' ? createCipheriv : createDecipheriv;
    const cipher = make('aes-256-cbc', key, iv).setAutoPadding(false);
    return Buffer.concat([cipher.update(data), cipher.final()]);
  },
  generateKey,
  keyProblem: (pem) => {
    const read = readKey(pem);
    return read.ok ? undefined : read.error;
  },
  certificateProblem,
  certify: (request) => certify(request, nodeClock.nowMs()),
};
