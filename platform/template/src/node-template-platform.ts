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
/** The memory limit for the Master Password algorithm. Node's own limit is slightly too low. */
const SCRYPT = { N: 32_768, r: 8, p: 2, maxmem: 64 * 1024 * 1024 } as const;

/** Implements what template functions need from the platform, with Node's crypto and bcryptjs. */
export const templatePlatform: TemplatePlatform = {
  nowMs: () => nodeClock.nowMs(),
  randomBytes: (count) => randomBytes(count),
  digest: (algorithm, data) => createHash(algorithm).update(data).digest(),
  hmacSha256: (key, data) => createHmac('sha256', key).update(data).digest(),
  scrypt: (password, salt, size) => scryptSync(password, salt, size, SCRYPT),
  bcrypt: (password) => {
    // Go writes version 2a and bcryptjs 2b. They are identical for at most 72 bytes.
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
