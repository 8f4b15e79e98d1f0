export type RpcCode =
  | 'invalid-argument'
  | 'not-found'
  | 'already-exists'
  | 'unauthenticated'
  | 'permission-denied'
  | 'resource-exhausted'
  | 'failed-precondition'
  | 'aborted'
  | 'unimplemented'
  | 'unavailable'
  | 'internal';

/** The failure of one call, with the code that its caller receives. */
export class RpcError extends Error {
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}
