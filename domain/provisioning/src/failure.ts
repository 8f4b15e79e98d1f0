/** The reason why a request fails. Codes are those of gRPC. */
export interface Failure {
  readonly code:
    | 'invalid-argument'
    | 'not-found'
    | 'already-exists'
    | 'permission-denied'
    | 'failed-precondition'
    | 'aborted'
    | 'unavailable';
  /** The cause and the fix, for the caller. */
  readonly message: string;
  /** The invalid field of the request, `config.hostname`. */
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
