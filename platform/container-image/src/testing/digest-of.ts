import { createHash } from 'node:crypto';
import type { Digest } from '@tinkerbell/oci';

export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
