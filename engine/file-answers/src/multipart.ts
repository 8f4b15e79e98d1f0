import type { StreamProgress } from '@tinkerbell/platform-contract';
import type { ByteRange } from './byte-range.ts';

/** A body of several ranges (RFC 9110 section 14.6). */
export interface Multipart {
  readonly contentType: string;
  readonly lengthBytes: number;
  readonly heads: readonly Uint8Array[];
  readonly ranges: readonly ByteRange[];
  readonly tail: Uint8Array;
}

export function multipartOf(
  ranges: readonly ByteRange[],
  file: { readonly sizeBytes: number; readonly contentType: string; readonly etag: string },
): Multipart {
  // The author of a file cannot know its ETag, so no file contains the boundary.
  const boundary = `part-${file.etag.replaceAll('"', '')}`;
  const encoder = new TextEncoder();
  const heads = ranges.map(({ start, end }) =>
    encoder.encode(
      `\r\n--${boundary}\r\ncontent-type: ${file.contentType}\r\ncontent-range: bytes ${start}-${end}/${file.sizeBytes}\r\n\r\n`,
    ),
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const lengthBytes = heads.reduce((sum, head) => sum + head.length, tail.length) + bytesOf(ranges);
  return { contentType: `multipart/byteranges; boundary=${boundary}`, lengthBytes, heads, ranges, tail };
}

/** Returns how many bytes of the file the ranges cover. */
export function bytesOf(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
}

/** Returns the parts one after the other. Each is read in its turn. */
export function multipartStream(
  { heads, ranges, tail }: Multipart,
  read: (range: ByteRange, progress: StreamProgress) => ReadableStream<Uint8Array>,
  begin: () => StreamProgress,
): ReadableStream<Uint8Array> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    // Done here, because a stream that is abandoned before its start never reaches its end.
    const progress = begin();
    try {
      for (const [index, range] of ranges.entries()) {
        yield heads[index] ?? tail;
        yield* read(range, { moved: (bytes) => progress.moved(bytes), ended() {} });
      }
      yield tail;
    } finally {
      progress.ended();
    }
  }
  return ReadableStream.from(chunks());
}
