import { isRecord } from '@tinkerbell/resources';

/** Returns the unverified claims of a token, to know when to renew it. Empty if it is unreadable. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
