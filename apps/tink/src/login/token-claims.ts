import { isRecord } from '@tinkerbell/resources';

/** What a token says of itself, unverified: to know when to renew it. Empty when it cannot be read. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
