import { pathNameOf, WholeResponse } from '@tinkerbell/platform-contract';
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

/** The path's elements, percent-decoded; undefined when an escape is broken or hides a separator or NUL. */
export function pathElementsOf(url: string): readonly string[] | undefined {
  try {
    const path = pathNameOf(url);
    // Nothing is escaped in most, and then nothing is hidden: a URL has no backslash or NUL of its own.
    if (!path.includes('%')) return path.slice(1).split('/');
    const elements = path.split('/').slice(1).map(decodeURIComponent);
    return elements.some((element) => /[/\\\0]/.test(element)) ? undefined : elements;
  } catch {
    return undefined;
  }
}

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
