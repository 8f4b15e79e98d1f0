/** Delivers reports to the configured URLs, each in order, and repeats what failed for an hour. */
import { delay, messageOf, type HttpTarget } from '@tinkerbell/platform-contract';
import type { DoctorDeps, WebhookConfig } from '../config.ts';
import type { ReporterMetrics } from '../metrics.ts';
import { bodyOf, type Report } from './report.ts';
import { signatureHeaders } from './signature.ts';

/** A rack that fails as a whole is a hundred reports. */
const WAITING_MAX = 1_000;
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 300_000;
/** An older report helps nobody. */
export const GIVE_UP_MS = 3_600_000;

type Deps = Pick<DoctorDeps, 'clock' | 'random' | 'log' | 'httpClient' | 'hmac'>;

/** Never to this machine: its own ports trust local requests more than others. */
const notThisMachine = ({ isThisMachine }: HttpTarget): boolean => !isThisMachine;

export class Webhooks {
  readonly #queues: readonly Queue[];

  /** `delivered` is called when every URL has accepted a report. */
  constructor(
    deps: Deps,
    config: WebhookConfig,
    {
      metrics,
      delivered,
    }: { readonly metrics: ReporterMetrics; readonly delivered: (report: Report) => void },
  ) {
    const missing = new Map<string, number>();
    const accepted = (report: Report): void => {
      const left = (missing.get(report.id) ?? config.urls.length) - 1;
      if (left > 0) return void missing.set(report.id, left);
      missing.delete(report.id);
      delivered(report);
    };
    const ended = (report: Report): void => void missing.delete(report.id);
    this.#queues = config.urls.map((url) => new Queue(deps, config, { url, metrics, accepted, ended }));
  }

  /** Never throws and never waits. */
  send(report: Report): void {
    for (const queue of this.#queues) queue.add(report);
  }

  /** Resolves after the signal, when no request is open. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.run(signal)));
  }
}

interface QueueParts {
  readonly url: string;
  readonly metrics: ReporterMetrics;
  readonly accepted: (report: Report) => void;
  readonly ended: (report: Report) => void;
}

type Attempt =
  | { readonly ok: true }
  | { readonly ok: false; readonly mayPass: boolean; readonly reason: string };

class Queue {
  readonly #deps: Deps;
  readonly #config: WebhookConfig;
  readonly #parts: QueueParts;
  readonly #waiting: { readonly report: Report; readonly sinceMs: number }[] = [];
  #wake = (): void => undefined;

  constructor(deps: Deps, config: WebhookConfig, parts: QueueParts) {
    this.#deps = deps;
    this.#config = config;
    this.#parts = parts;
  }

  add(report: Report): void {
    if (this.#waiting.length >= WAITING_MAX) return this.#parts.metrics.webhooks.add({ result: 'dropped' });
    this.#waiting.push({ report, sinceMs: this.#deps.clock.monotonicMs() });
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const next = this.#waiting.shift();
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else await this.#deliver(next, signal);
    }
  }

  async #deliver(
    { report, sinceMs }: { readonly report: Report; readonly sinceMs: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, log } = this.#deps;
    const { metrics, url } = this.#parts;
    // The path of a URL may be a secret, as Slack's is.
    const { host } = new URL(url);
    for (let waitMs = RETRY_MIN_MS; !signal.aborted; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      const attempt = await this.#try(report, signal);
      if (attempt.ok) {
        metrics.webhooks.add({ result: 'sent' });
        return this.#parts.accepted(report);
      }
      if (signal.aborted) return;
      const isOver = clock.monotonicMs() - sinceMs >= GIVE_UP_MS;
      if (!attempt.mayPass || isOver) {
        metrics.webhooks.add({ result: 'failed' });
        log.warn('webhook not delivered', { host, machine: report.machine.name, reason: attempt.reason });
        return this.#parts.ended(report);
      }
      metrics.webhooks.add({ result: 'retried' });
      log.debug('webhook is repeated', { host, machine: report.machine.name, reason: attempt.reason });
      const [jitter = 0] = random.bytes(1);
      await delay(clock, waitMs * (0.75 + jitter / 512), signal);
    }
  }

  async #try(report: Report, signal: AbortSignal): Promise<Attempt> {
    const { clock, hmac, httpClient } = this.#deps;
    const { secret, format, mayConnect = notThisMachine } = this.#config;
    const body = new TextEncoder().encode(bodyOf(report, format));
    const headers = {
      'content-type': 'application/json',
      'x-tinkerbell-delivery': report.id,
      ...signatureHeaders(body, { hmac, secret, nowMs: clock.nowMs() }),
    };
    try {
      const answer = await httpClient.get(this.#parts.url, {
        method: 'POST',
        body,
        headers,
        mayConnect,
        signal,
      });
      await answer.body.cancel();
      const { status } = answer;
      if (status >= 200 && status < 300) return { ok: true };
      return {
        ok: false,
        mayPass: status >= 500 || status === 408 || status === 429,
        reason: `status ${status}`,
      };
    } catch (thrown) {
      const cause: unknown = thrown instanceof Error ? thrown.cause : thrown;
      return { ok: false, mayPass: true, reason: messageOf(cause) };
    }
  }
}
