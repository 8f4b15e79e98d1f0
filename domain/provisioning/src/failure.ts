/** Why a request cannot be done; codes are those of gRPC. */
export interface Failure {
  readonly code:
    | 'invalid-argument'
    | 'not-found'
    | 'already-exists'
    | 'permission-denied'
    | 'failed-precondition'
    | 'aborted'
    | 'unavailable';
  /** What is wrong and the way out, for the caller. */
  readonly message: string;
  /** The field of the request that is to blame, `config.hostname`. */
  readonly field?: string;
}

export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure };

export function refuse(
  code: Failure['code'],
  message: string,
  field?: string,
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code, message, ...(field === undefined ? {} : { field }) } };
}
