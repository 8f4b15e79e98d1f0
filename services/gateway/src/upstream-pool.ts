/** The endpoints of an upstream: in turn, those that answer first. */
import type { Clock } from '@tinkerbell/platform-contract';
import { createHttp1Client } from './http1-upstream.ts';
import { createHttp2Client } from './http2-upstream.ts';
import type { Endpoint, UpstreamSettings } from './route-file.ts';
import {
  UpstreamFailure,
  type UpstreamAnswer,
  type UpstreamClient,
  type UpstreamRequest,
} from './upstream-client.ts';

/** An endpoint that failed is asked last for so long. */
const SHUNNED_MS = 2000;
const HEALTH_ANSWER_MS = 3000;

interface Member {
  readonly endpoint: Endpoint;
  readonly client: UpstreamClient;
  isHealthy: boolean;
  shunnedUntilMs: number;
}

export interface PoolOptions {
  readonly clock: Clock;
  /** PEM of the authority of an `h2` upstream. */
  readonly ca?: string;
}

export class UpstreamPool {
  readonly #settings: UpstreamSettings;
  readonly #clock: Clock;
  readonly #members: readonly Member[];
  readonly #stopping = new AbortController();
  #turn = 0;

  constructor(settings: UpstreamSettings, { clock, ca }: PoolOptions) {
    this.#settings = settings;
    this.#clock = clock;
    const tls = settings.protocol === 'h2' ? { ca, servername: settings.serverName } : undefined;
    this.#members = settings.endpoints.map((endpoint) => ({
      endpoint,
      client:
        settings.protocol === 'http/1.1' ? createHttp1Client(endpoint) : createHttp2Client(endpoint, { tls }),
      isHealthy: true,
      shunnedUntilMs: 0,
    }));
    for (const member of this.#members) this.#watch(member);
  }

  /** Rejects with an UpstreamFailure when no endpoint answers, or asking another one could do harm. */
  async ask(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const members = this.#inTurn().slice(0, this.#settings.retries + 1);
    let failure = new UpstreamFailure('the upstream has no endpoint', false);
    for (const member of members) {
      try {
        return await member.client.ask(request);
      } catch (thrown) {
        if (!(thrown instanceof UpstreamFailure)) throw thrown;
        failure = thrown;
        if (request.signal.aborted) break;
        member.shunnedUntilMs = this.#clock.monotonicMs() + SHUNNED_MS;
        if (!thrown.isRepeatable) break;
      }
    }
    throw failure;
  }

  close(): void {
    this.#stopping.abort();
    for (const { client } of this.#members) client.close();
  }

  #inTurn(): readonly Member[] {
    const start = this.#turn++ % this.#members.length;
    const all = [...this.#members.slice(start), ...this.#members.slice(0, start)];
    const nowMs = this.#clock.monotonicMs();
    const isGood = (member: Member): boolean => member.isHealthy && member.shunnedUntilMs <= nowMs;
    return [...all.filter(isGood), ...all.filter((member) => !isGood(member))];
  }

  #watch(member: Member): void {
    const { healthCheck } = this.#settings;
    if (healthCheck === undefined) return;
    const look = async (): Promise<void> => {
      member.isHealthy = await this.#isHealthy(member, healthCheck.path);
      if (!this.#stopping.signal.aborted)
        cancel = this.#clock.schedule(healthCheck.intervalMs, () => void look());
    };
    let cancel = this.#clock.schedule(0, () => void look());
    this.#stopping.signal.addEventListener('abort', () => cancel(), { once: true });
  }

  async #isHealthy({ client, endpoint }: Member, path: string): Promise<boolean> {
    try {
      const answer = await client.ask({
        method: 'GET',
        path,
        scheme: 'http',
        authority: `${endpoint.host}:${endpoint.port}`,
        fields: {},
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(HEALTH_ANSWER_MS)]),
      });
      answer.body?.resume();
      return answer.status < 500;
    } catch {
      return false;
    }
  }
}
