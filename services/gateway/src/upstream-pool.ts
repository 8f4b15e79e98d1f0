/** The endpoints of an upstream, used in turn. Healthy endpoints come first. */
import type { Clock } from '@tinkerbell/platform-contract';
import { connect } from 'node:net';
import type { ClientConnection } from '@tinkerbell/http2';
import { Departure } from './departure.ts';
import { EndpointHealth } from './endpoint-health.ts';
import type { GatewayMetrics } from './metrics.ts';
import { createHttp1Client } from './http1-upstream.ts';
import { createHttp2Client } from './http2-upstream.ts';
import type { Endpoint, HealthCheckSettings, UpstreamSettings } from './route-file.ts';
import type { UpstreamAnswer, UpstreamClient, UpstreamRequest } from './upstream-client.ts';
import { UpstreamFailure } from './upstream-failure.ts';

export interface Member {
  readonly endpoint: Endpoint;
  readonly client: UpstreamClient;
  readonly health: EndpointHealth;
}

/** A connection that has a place for a request, and whom to report about. */
export interface FreePlace {
  readonly connection: ClientConnection;
  readonly member: Member;
}

export type PoolMetrics = Pick<GatewayMetrics, 'upstreamFailures' | 'upstreamHealthy'>;

export interface PoolOptions {
  readonly clock: Clock;
  readonly metrics: PoolMetrics;
  /** How much of an answer is read at once. */
  readonly partBytes: () => number;
  /** PEM of the authority of an `h2` upstream. */
  readonly ca?: string;
}

export class UpstreamPool {
  readonly #settings: UpstreamSettings;
  readonly #clock: Clock;
  readonly #metrics: PoolMetrics;
  readonly #members: readonly Member[];
  readonly #stopping = new AbortController();
  #turn = 0;

  constructor(settings: UpstreamSettings, { clock, metrics, partBytes, ca }: PoolOptions) {
    this.#settings = settings;
    this.#clock = clock;
    this.#metrics = metrics;
    const tls = settings.protocol === 'h2' ? { ca, servername: settings.serverName } : undefined;
    this.#members = settings.endpoints.map((endpoint) => ({
      endpoint,
      client:
        settings.protocol === 'http/1.1'
          ? createHttp1Client(endpoint, partBytes)
          : createHttp2Client(endpoint, { tls }),
      health: new EndpointHealth(settings.healthCheck ?? NO_CHECKS),
    }));
    for (const member of this.#members) this.#watch(member);
  }

  /** Rejects with an UpstreamFailure when no endpoint responds, or when trying another one could do harm. */
  async ask(request: UpstreamRequest): Promise<UpstreamAnswer> {
    let failure: UpstreamFailure | undefined;
    for (const member of this.#inTurn()) {
      try {
        const answer = await member.client.ask(request);
        this.answered(member);
        return answer;
      } catch (thrown) {
        if (!(thrown instanceof UpstreamFailure)) throw thrown;
        failure = thrown;
        if (request.gone.hasHappened) break;
        this.failed(member);
        if (!thrown.isRepeatable) break;
      }
    }
    // An error captures a stack, which costs more than a call, so it is created only where one is needed.
    throw failure ?? new UpstreamFailure('the upstream has no endpoint', false);
  }

  /** Returns the place that the next request would get, unless it must wait for it. */
  free(): FreePlace | undefined {
    const [member] = this.#inTurn();
    const connection = member?.client.free?.();
    if (member === undefined || connection === undefined) return undefined;
    return { connection, member };
  }

  answered({ health }: Member): void {
    health.answered();
  }

  failed(member: Member): void {
    member.health.failed(this.#clock.monotonicMs());
    this.#metrics.upstreamFailures.add({ endpoint: nameOf(member) });
  }

  close(): void {
    this.#stopping.abort();
    for (const { client } of this.#members) client.close();
  }

  /** Yields as many endpoints as may be tried. */
  #inTurn(): readonly Member[] {
    if (this.#members.length === 1) return this.#members;
    const start = this.#turn++ % this.#members.length;
    const all = [...this.#members.slice(start), ...this.#members.slice(0, start)];
    const nowMs = this.#clock.monotonicMs();
    const isGood = ({ health }: Member): boolean => health.isWorthAsking(nowMs);
    const inOrder = [...all.filter(isGood), ...all.filter((member) => !isGood(member))];
    return inOrder.slice(0, this.#settings.retries + 1);
  }

  #watch(member: Member): void {
    const { healthCheck } = this.#settings;
    if (healthCheck === undefined) return;
    const { signal } = this.#stopping;
    const look = async (): Promise<void> => {
      const hasPassed = await this.#hasPassed(member, healthCheck);
      if (signal.aborted) return;
      member.health.checked(hasPassed);
      this.#metrics.upstreamHealthy.set({ endpoint: nameOf(member) }, member.health.isHealthy ? 1 : 0);
      cancel = this.#clock.schedule(healthCheck.intervalMs, () => void look());
    };
    let cancel = this.#clock.schedule(0, () => void look());
    signal.addEventListener('abort', () => cancel(), { once: true });
  }

  async #hasPassed({ client, endpoint }: Member, { path, timeoutMs }: HealthCheckSettings): Promise<boolean> {
    const gone = new Departure();
    const end = (): void => gone.happen();
    const cancel = this.#clock.schedule(timeoutMs, end);
    this.#stopping.signal.addEventListener('abort', end, { once: true });
    try {
      if (path === undefined) return await isReachable(endpoint, gone);
      const authority = `${endpoint.host}:${endpoint.port}`;
      const answer = await client.ask({ method: 'GET', path, scheme: 'http', authority, fields: {}, gone });
      answer.body?.resume();
      return answer.status < 500;
    } catch {
      return false;
    } finally {
      cancel();
      this.#stopping.signal.removeEventListener('abort', end);
    }
  }
}

/** For upstreams without health checks. */
const NO_CHECKS = { healthyAfter: 1, unhealthyAfter: 1 } as const;

function nameOf({ endpoint: { host, port } }: Member): string {
  return `${host}:${port}`;
}

function isReachable({ host, port }: Endpoint, gone: Departure): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
    gone.onHappened(end(false));
  });
}
