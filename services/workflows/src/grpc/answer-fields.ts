/** The header fields of answers (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md), as header blocks. */
import { encodeFields } from '@tinkerbell/http2';
import { grpcStatus, type GrpcStatus } from './grpc-status.ts';

const OK: readonly (readonly [string, string])[] = [
  [':status', '200'],
  ['content-type', 'application/grpc+proto'],
];
/** The compressions that requests may have. */
const ACCEPTED = 'identity,deflate,gzip';

/** Before the first message. */
export const answerHeaders = encodeFields([...OK, ['grpc-accept-encoding', ACCEPTED]]);
const okTrailers = encodeFields([['grpc-status', '0']]);

/** After the last message. */
export function trailersOf(code: GrpcStatus, details: string): Uint8Array {
  return code === grpcStatus.ok ? okTrailers : encodeFields(statusFields(code, details));
}

/** The whole answer of a call without a message. */
export function trailersOnly(code: GrpcStatus, details: string): Uint8Array {
  return encodeFields([...OK, ...statusFields(code, details)]);
}

/** The whole answer to what is not gRPC. */
export function httpRefusal(status: 405 | 415): Uint8Array {
  return encodeFields([[':status', String(status)]]);
}

function statusFields(code: GrpcStatus, details: string): readonly (readonly [string, string])[] {
  return [
    ['grpc-status', String(code)],
    ...(details === '' ? [] : [['grpc-message', percentEncoded(details)] as const]),
  ];
}

/** Printable ASCII without the percent sign stays as it is. */
function percentEncoded(text: string): string {
  return text.toWellFormed().replaceAll(/[^ -$&-~]+/g, encodeURIComponent);
}
