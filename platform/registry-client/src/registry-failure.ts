/** Failures of a registry with the text that an operator needs: registry, repository, status and the registry's own message. */
import type { IncomingMessage } from 'node:http';
import { decodeErrors } from '@tinkerbell/oci';
import { messageOf, codeOf, PlatformError, type PlatformErrorCode } from '@tinkerbell/platform-contract';
import { readBounded } from './transport.ts';

const ERROR_BODY_MAX_BYTES = 64 * 1024;
const OWN_WORDS_MAX = 500;
const TOO_MANY = 429;
const TIMED_OUT = 408;
const CODES: Readonly<Record<number, PlatformErrorCode>> = {
  401: 'permission-denied',
  403: 'permission-denied',
  404: 'not-found',
};

/** What was asked of which endpoint: `the manifest of tinkerbell/hook:v1`, `quay.io`. */
export interface Subject {
  readonly what: string;
  readonly endpoint: string;
  readonly verb?: 'get' | 'push';
}

export function failure(code: PlatformErrorCode, subject: Subject, reason: string): PlatformError {
  return new PlatformError(
    code,
    `registry ${subject.endpoint}: cannot ${subject.verb ?? 'get'} ${subject.what}: ${reason}`,
  );
}

/** Reads the error body, and closes the connection. */
export async function statusFailure(subject: Subject, answer: IncomingMessage): Promise<PlatformError> {
  const status = answer.statusCode ?? 0;
  const body = await readBounded(answer, ERROR_BODY_MAX_BYTES).catch(() => undefined);
  answer.destroy();
  const own = decodeErrors(body ?? new Uint8Array()).map(({ code, message }) => `${code} ${message}`.trim());
  const words = own.length === 0 ? '' : `: ${printed(own.join('; '))}`;
  const advice = [401, 403].includes(status) ? '; check the name of the image and the credentials' : '';
  return failure(CODES[status] ?? 'unavailable', subject, `status ${status}${words}${advice}`);
}

export function connectionFailure(subject: Subject, cause: unknown): PlatformError {
  if (cause instanceof PlatformError) return cause;
  const message = messageOf(cause);
  return failure('unavailable', subject, message === '' ? (codeOf(cause) ?? 'failed') : message);
}

/** Overload and faults of gateways pass. Any other status would be the same next time. */
export function mayPass(status: number): boolean {
  return status === TIMED_OUT || status === TOO_MANY || status >= 500;
}

/** Text of a registry may contain anything. */
function printed(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, OWN_WORDS_MAX);
}
