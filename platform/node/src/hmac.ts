import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Hmac } from '@tinkerbell/platform-contract';

export const nodeHmac: Hmac = {
  hmacSha256: (key, bytes) => new Uint8Array(createHmac('sha256', key).update(bytes).digest()),
  timingSafeEqual: (one, other) => one.length === other.length && timingSafeEqual(one, other),
};
