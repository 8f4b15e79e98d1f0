import { ActionError } from './action-error.ts';

/**
 * The time in which an action must end what it started. With it, a stopped action has ended within a second.
 */
const STOP_GRACE_MS = 900;

/**
 * Resolves with the result of `work`, or fails shortly after the signal aborts, so that no disk, socket or
 * program delays the action further. Work that continues nevertheless ends with the action's process.
 *
 * @throws ActionError when `work` has not ended in time.
 */
export async function stopInTime<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => {
      stopped.reject(new ActionError('stopped at the timeout, while it waited for a disk or a program'));
    }, STOP_GRACE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // Nobody waits for it any more.
    work.catch(() => undefined);
  }
}

/** @throws ActionError when the action was stopped. For loops that do not wait for anything that notices it. */
export function assertNotStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new ActionError('stopped at the timeout');
}
