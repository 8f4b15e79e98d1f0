/**
 * Requests that outlive short outages of the cluster: what was not answered is asked again, with growing delays. Every write of the
 * store names what it is based on, a name that is free or a revision, so that the cluster carries it out once at most.
 */
import { delay, PlatformError, type Clock, type Random } from '@tinkerbell/platform-contract';
import { wasSent, type Answer, type Call, type ClusterClient } from './cluster-client.ts';
import type { Contact, RetryReason } from './contact.ts';
import { retryDelayMs } from './retry-delay.ts';

export interface CallsOptions {
  readonly client: ClusterClient;
  readonly contact: Contact;
  readonly clock: Clock;
  readonly random: Random;
  /** How long one request is asked again; asked for each failure. */
  readonly patienceMs: () => number;
  /** Nothing is asked again after it. */
  readonly signal: AbortSignal;
}

export interface WriteAnswer extends Answer {
  /** An earlier request of the same write may have been carried out. */
  readonly isUncertain: boolean;
}

const REQUESTS = 'requests';

export class ClusterCalls {
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Whatever the status is, but 429 and 5xx. Rejects with a PlatformError when that lasts. */
  read(path: string): Promise<Answer> {
    return this.write({ method: 'GET', path });
  }

  /** As `read`. The same request may reach the cluster several times. */
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

  /** False when it is not to be tried again. */
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

/** 429 is answered before anything is done; after 5xx nobody knows. */
function triedOf(answer: Answer, url: string): Tried {
  const { status, body, retryAfterMs } = answer;
  if (status !== 429 && status < 500) return { answer };
  const { message = '' } = body as { readonly message?: string };
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
