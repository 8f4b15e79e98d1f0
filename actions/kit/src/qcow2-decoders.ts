import { promisify } from 'node:util';
import { constants, createZstdDecompress, inflateRaw } from 'node:zlib';

import type { Decoders } from '@tinkerbell/qcow2';

const inflate = promisify(inflateRaw);

/** The decoders for compressed clusters. Bytes of the next cluster may follow the end of the stream. */
export const qcow2Decoders: Decoders = {
  zlib: (input, length) =>
    inflate(input, { maxOutputLength: length, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: length }),
  zstd: unpackZstd,
};

/** Stops after `length` bytes, because Node reports what follows the frame as an error. */
async function unpackZstd(input: Uint8Array, length: number): Promise<Uint8Array> {
  const decoder = createZstdDecompress({ chunkSize: length });
  const bytes = new Uint8Array(length);
  let done = 0;
  decoder.end(input);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      const piece = chunk.subarray(0, length - done);
      bytes.set(piece, done);
      done += piece.length;
      if (done === length) break;
    }
  } finally {
    decoder.destroy();
  }
  return bytes.subarray(0, done);
}
