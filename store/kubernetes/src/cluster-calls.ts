/**
 * Requests that survive short outages of the cluster. Unanswered requests are retried with growing delays. Every write of the
 * store names its precondition, an unused name or a revision, so that the cluster performs it at most once.
 */
import { delay, PlatformError, type Clock, type Random } from '@tinkerbell/platform-contract';
import { wasSent, type Answer, type Call, type ClusterClient } from './cluster-client.ts';
import type { Contact, RetryReason } from './contact.ts';
import { messageIn } from './refused.ts';
import { retryDelayMs } from './retry-delay.ts';

export interface CallsOptions {
  readonly client: ClusterClient;
  readonly contact: Contact;
  readonly clock: Clock;
  readonly random: Random;
  /** How long one request is retried. It is called for each failure. */
  readonly patienceMs: () => number;
  /** No request is retried after it aborts. */
  readonly signal: AbortSignal;
}

export interface WriteAnswer extends Answer {
  /** The cluster may have performed an earlier request of the same write. */
  readonly isUncertain: boolean;
}

const REQUESTS = 'requests';

export class ClusterCalls {
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Resolves with any status except 429 and 5xx. Rejects with a PlatformError when those persist. */
  read(path: string): Promise<Answer> {
    return this.write({ method: 'GET', path });
  }

  /** Works as `read`. The same request may reach the cluster several times. */
  async write(call: Call): Promise<WriteAnswer> {
    const { client, contact, clock } = this.#options;
    const startedMs = clock.monotonicMs();
    let isUncertain = false;
    for (let failures = 1; ; failures += 1) {
      const tried = await client.call(call).then(
        (answer): Tried => triedOf(answer, client.url),
        (thrown: unknown): Tried => brokenOf(thrown),
      );
      if (tried.answer !== undefined) {
        contact.succeeded(REQUESTS);
        return { ...tried.answer, isUncertain };
      }
      contact.failed(REQUESTS, tried.error.message);
      isUncertain ||= tried.mayBeDone;
      const isLast = !(await this.#waits(tried, failures, startedMs));
      if (isLast) throw isUncertain && call.method !== 'GET' ? uncertain(tried.error) : tried.error;
    }
  }

  /** Returns false when it must not be retried. */
  async #waits({ reason, retryAfterMs }: Missed, failures: number, startedMs: number): Promise<boolean> {
    const { contact, clock, random, patienceMs, signal } = this.#options;
    const fraction = random.fraction();
    const delayMs = retryDelayMs({
      failures,
      fraction,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    const spentMs = clock.monotonicMs() - startedMs;
    if (signal.aborted || spentMs + delayMs > patienceMs()) return false;
    await delay(clock, delayMs, signal);
    if (signal.aborted) return false;
    contact.retried(reason);
    return true;
  }
}

interface Missed {
  readonly answer?: undefined;
  readonly error: PlatformError;
  readonly reason: RetryReason;
  readonly mayBeDone: boolean;
  readonly retryAfterMs?: number;
}

type Tried = Missed | { readonly answer: Answer };

/** 429 is returned before anything is done. After 5xx, the outcome is unknown. */
function triedOf(answer: Answer, url: string): Tried {
  const { status, body, retryAfterMs } = answer;
  if (status !== 429 && status < 500) return { answer };
  const message = messageIn(body);
  return {
    error: new PlatformError('unavailable', `the Kubernetes API at ${url} answers ${status}: ${message}`),
    reason: status === 429 ? 'too-many-requests' : 'server-error',
    mayBeDone: status !== 429,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** A bug stays a bug. */
function brokenOf(thrown: unknown): Missed {
  if (!(thrown instanceof PlatformError)) throw thrown;
  return { error: thrown, reason: 'connection', mayBeDone: wasSent(thrown) };
}

function uncertain(cause: PlatformError): PlatformError {
  return new PlatformError(cause.code, `${cause.message}; the write may have been carried out`, { cause });
}
