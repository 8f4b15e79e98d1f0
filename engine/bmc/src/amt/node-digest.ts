import { createHash } from 'node:crypto';
import type { DigestHash } from '@tinkerbell/wsman';

const NAMES = { MD5: 'md5', 'SHA-256': 'sha256' } as const;

export const nodeDigestHash: DigestHash = (algorithm, text) =>
  createHash(NAMES[algorithm]).update(text, 'utf8').digest('hex');
