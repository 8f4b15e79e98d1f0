import { randomBytes } from 'node:crypto';
import type { Random } from '@tinkerbell/platform-contract';

export const nodeRandom: Random = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  fraction: () => Math.random(),
};
