import type { Clock } from '@tinkerbell/platform-contract';
import type { Exchange } from './exchange.ts';
import type { Refusal } from './refusal.ts';

const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Gives a request up when its upstream does not answer in time, counted from the end of the request. A gRPC call has its own deadline, so it has
 * a limit only where `waitMs` is configured. Returns what stops the timer.
 */
export function startAnswerTimer(
  clock: Clock,
  { exchange, isGrpc }: { readonly exchange: Exchange; readonly isGrpc: boolean },
  { waitMs, giveUp }: { readonly waitMs: number | undefined; readonly giveUp: (why: Refusal) => void },
): () => void {
  if (isGrpc && waitMs === undefined) return () => undefined;
  const limitMs = waitMs ?? ANSWER_TIMEOUT_MS;
  const message = `the upstream did not answer within ${limitMs} ms`;
  let cancel = (): void => undefined;
  let isOver = false;
  const start = (): void => {
    if (isOver) return;
    cancel = clock.schedule(limitMs, () => giveUp({ status: 504, reason: 'upstream-timeout', message }));
  };
  if (exchange.body === undefined || isGrpc) start();
  else exchange.body.once('end', start);
  return () => {
    isOver = true;
    cancel();
  };
}
