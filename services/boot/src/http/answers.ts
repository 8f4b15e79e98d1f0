import { WholeResponse } from '@tinkerbell/platform-contract';
import type { BootFile } from '../boot-files/index.ts';
import type { ByteRange } from './file-answer.ts';

/** Responses that the boot routes share. */

export function notFound(detail: string): Response {
  return plain(404, detail);
}

export function methodNotAllowed(): Response {
  return new WholeResponse('only GET and HEAD\n', { status: 405, headers: { allow: 'GET, HEAD', ...PLAIN } });
}

export function plain(status: number, detail: string): Response {
  return new WholeResponse(`${detail}\n`, { status, headers: PLAIN });
}

/** A text for a program. No newline is added. */
export function plainText(text: string): Response {
  return new WholeResponse(text, { headers: PLAIN });
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' } as const;

/**
 * A body that calls `onEnd` once: with all bytes of the range when the last was taken, or fewer when the reader disconnected.
 * Without a range it is the whole file.
 */
export function measuredBody(
  file: BootFile,
  onEnd: (sentBytes: number) => void,
  { start, end }: ByteRange = { start: 0, end: file.sizeBytes - 1 },
): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at > end) {
          controller.close();
          return onEnd(at - start);
        }
        const length = Math.min(CHUNK_BYTES, end + 1 - at);
        try {
          // A copy, because the consumer may detach it and the bytes are cached.
          controller.enqueue((await file.slice(at, length)).slice());
        } catch (error) {
          onEnd(at - start);
          throw error;
        }
        at += length;
        return undefined;
      },
      cancel: () => onEnd(at - start),
    },
    { highWaterMark: 0 },
  );
}

const CHUNK_BYTES = 256 * 1024;
