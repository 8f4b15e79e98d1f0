/** Error bodies of the OCI distribution specification v1.1, section "Error Codes". */
import { isObject, parseJson } from './json-fields.ts';

/** The specification's codes, with the HTTP status that goes with each. */
export const distributionStatus = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 400,
  UNAUTHORIZED: 401,
  DENIED: 403,
  UNSUPPORTED: 405,
  TOOMANYREQUESTS: 429,
} as const;

export type DistributionErrorCode = keyof typeof distributionStatus;

export interface DistributionError {
  /** One of `distributionStatus`, or a registry's own. */
  readonly code: string;
  readonly message: string;
}

export function encodeErrors(errors: readonly DistributionError[]): string {
  return JSON.stringify({ errors });
}

/** Returns an empty list for a body that does not have the format: proxies answer with pages of their own. */
export function decodeErrors(body: Uint8Array): readonly DistributionError[] {
  let errors: unknown;
  try {
    ({ errors } = parseJson(body, 'errors'));
  } catch {
    return [];
  }
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 16).flatMap((error: unknown) => {
    if (!isObject(error) || typeof error['code'] !== 'string') return [];
    const message = typeof error['message'] === 'string' ? error['message'] : '';
    return [{ code: error['code'].slice(0, 100), message: message.slice(0, 1000) }];
  });
}
