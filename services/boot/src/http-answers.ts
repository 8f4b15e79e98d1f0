import { WholeResponse } from '@tinkerbell/platform-contract';
import type { BootFile } from './boot-files/index.ts';

/** Answers the boot routes have in common. */

export function notFound(detail: string): Response {
  return plain(404, detail);
}

export function methodNotAllowed(): Response {
  return new WholeResponse('only GET and HEAD\n', { status: 405, headers: { allow: 'GET, HEAD', ...PLAIN } });
}

export function plain(status: number, detail: string): Response {
  return new WholeResponse(`${detail}\n`, { status, headers: PLAIN });
}

/** A text for a program: no newline is added. */
export function plainText(text: string): Response {
  return new WholeResponse(text, { headers: PLAIN });
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' } as const;

/** A body that calls `onEnd` once: with all bytes when the last was taken, or fewer when the reader went away. */
export function measuredBody(file: BootFile, onEnd: (sentBytes: number) => void): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at === file.sizeBytes) {
          controller.close();
          return onEnd(at);
        }
        const length = Math.min(CHUNK_BYTES, file.sizeBytes - at);
        try {
          // A copy: the consumer may detach what it is given, and the bytes are cached.
          controller.enqueue((await file.slice(at, length)).slice());
        } catch (error) {
          onEnd(at);
          throw error;
        }
        at += length;
        return undefined;
      },
      cancel: () => onEnd(at),
    },
    { highWaterMark: 0 },
  );
}

const CHUNK_BYTES = 256 * 1024;
