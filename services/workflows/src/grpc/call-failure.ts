import type { GrpcStatus } from './grpc-status.ts';

/** A call that fails before its handler sees it. */
export class CallFailure extends Error {
  readonly code: GrpcStatus;

  constructor(code: GrpcStatus, details: string) {
    super(details);
    this.code = code;
  }
}
