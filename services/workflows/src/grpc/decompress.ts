import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { grpcStatus } from './grpc-status.ts';
import { CallFailure } from './call-failure.ts';

const decompressions = { gzip: promisify(gunzip), deflate: promisify(inflate) };

export interface Compressed {
  /** The field `grpc-encoding`. */
  readonly encoding: string;
  readonly bytes: Buffer;
  readonly bytesMax: number;
}

/** Rejects with a CallFailure, also for a message that is larger than the limit. */
export async function decompress({ encoding, bytes, bytesMax }: Compressed): Promise<Buffer> {
  if (encoding !== 'gzip' && encoding !== 'deflate')
    throw new CallFailure(grpcStatus.unimplemented, `unsupported compression "${encoding}"`);
  try {
    return await decompressions[encoding](bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw isTooLarge
      ? new CallFailure(grpcStatus.resourceExhausted, `a message is larger than ${bytesMax} bytes`)
      : new CallFailure(grpcStatus.internal, 'a message cannot be decompressed');
  }
}
