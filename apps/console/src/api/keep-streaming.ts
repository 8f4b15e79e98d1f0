/**
 * Keeps a stream open while the page is visible. Browsers allow six connections to a server over HTTP/1.1, for all of its pages, so
 * hidden pages hold none.
 */
import { ApiFailure } from './request.ts';
import { reportStream } from './connection.ts';

const [RETRY_MS, RETRY_MS_MAX] = [1000, 15_000];

/**
 * Calls `follow` again whenever it ends, until the signal. `follow` resolves when the stream ended, and calls `connected` when it has
 * begun. A refusal of the server (403, 404) ends it for good and goes to `refused`. A session that has ended does not: the user signs
 * in again, and the stream resumes.
 */
export async function keepStreaming(
  signal: AbortSignal,
  follow: (signal: AbortSignal, connected: () => void) => Promise<void>,
  refused: (failure: ApiFailure) => void,
): Promise<void> {
  const stream = Symbol('stream');
  let waitMs = RETRY_MS;
  while (!signal.aborted) {
    await visible(signal);
    if (signal.aborted) break;
    const hidden = new AbortController();
    const hide = (): void => {
      if (document.hidden) hidden.abort();
    };
    document.addEventListener('visibilitychange', hide);
    try {
      await follow(AbortSignal.any([signal, hidden.signal]), () => {
        waitMs = RETRY_MS;
        reportStream(stream, true);
      });
    } catch (thrown) {
      if (isRefusal(thrown)) {
        refused(thrown);
        break;
      }
      if (!signal.aborted && !hidden.signal.aborted) {
        reportStream(stream, false);
        await pause(waitMs, signal);
        waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
      }
    } finally {
      document.removeEventListener('visibilitychange', hide);
    }
  }
  reportStream(stream, true);
}

function isRefusal(thrown: unknown): thrown is ApiFailure {
  return thrown instanceof ApiFailure && [400, 403, 404].includes(thrown.status);
}

function visible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check, { once: true });
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const now = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', now, { once: true });
    globalThis.addEventListener('online', now, { once: true });
  });
}
