/** The status codes of gRPC (https://grpc.io/docs/guides/status-codes) that this server sends. */
export const grpcStatus = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export type GrpcStatus = (typeof grpcStatus)[keyof typeof grpcStatus];
