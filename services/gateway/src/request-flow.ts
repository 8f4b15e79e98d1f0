/**
 * Handles a request from its first line to its last byte: its route, its authorization, the upstream, and the
 * response. The decisions are in match-route, request-path, admit, header-fields, refusal and compression.
 * This code runs them in that order.
 */
import { clientAddressOf } from '@tinkerbell/instance-metadata';
import { TurnPlaces } from '@tinkerbell/platform-contract';
import { ipNetworkContains, type IpAddress } from '@tinkerbell/wire';
import { admit, tooLarge } from './admit.ts';
import type { RelayedCall } from './client-call.ts';
import { corsFields } from './cors.ts';
import { Departure } from './departure.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import {
  endToEnd,
  isGrpcType,
  oneValue,
  traceparentOf,
  upstreamFields,
  type HeaderFields,
} from './header-fields.ts';
import { HeldBodies } from './held-bodies.ts';
import { matchRoute } from './match-route.ts';
import type { GatewayMetrics } from './metrics.ts';
import { refusalAnswer, type Refusal } from './refusal.ts';
import { relayAnswer } from './relay-answer.ts';
import { relayWebSocket } from './relay-web-socket.ts';
import { requestPath, rewritePath, type RequestPath } from './request-path.ts';
import { NO_ROUTES, type LiveRoute, type RouteTable } from './route-table.ts';
import { meteredBody, SlowClients } from './slow-clients.ts';
import { TraceBytes } from './trace-bytes.ts';
import { UpstreamFailure, type UpstreamAnswer, type UpstreamRequest } from './upstream-client.ts';

const ANSWER_TIMEOUT_MS = 60_000;
/** The status that nginx logs for a client that disconnected before it had an answer. */
const CLIENT_GONE = 499;

/** The facts of a request before its route is known. */
interface Visit {
  readonly exchange: Exchange;
  readonly isGrpc: boolean;
  readonly traceparent: string;
  readonly startedMs: number;
  /** Aborts when the client disconnects, or when a time limit expires. */
  readonly gone: Departure;
}

interface Outcome {
  readonly route: string;
  readonly status: number;
  readonly address: string;
  readonly bytes: number;
  readonly reason?: string;
}

type Sender =
  | { readonly ok: true; readonly client: IpAddress; readonly address: string }
  | { readonly ok: false };

type FlowMetrics = Pick<GatewayMetrics, 'requests' | 'refused' | 'seconds' | 'heldBytes'>;

export class RequestFlow {
  readonly slowClients: SlowClients;
  readonly heldBodies: HeldBodies;
  readonly #deps: GatewayDeps;
  readonly #metrics: FlowMetrics;
  readonly #traceBytes: TraceBytes;
  readonly #places = new TurnPlaces();
  #table: RouteTable = NO_ROUTES;

  constructor(deps: GatewayDeps, metrics: FlowMetrics) {
    this.#deps = deps;
    this.#metrics = metrics;
    this.#traceBytes = new TraceBytes(deps.random);
    this.slowClients = new SlowClients(deps.clock);
    this.heldBodies = new HeldBodies(deps.heldBytesMax);
    metrics.heldBytes.from(() => this.heldBodies.bytes());
  }

  /** Active requests continue with the table they began with. */
  use(table: RouteTable): void {
    this.#table = table;
  }

  /** Never rejects. */
  async answer(exchange: Exchange, listener: string): Promise<void> {
    const { clock, log } = this.#deps;
    const gone = new Departure();
    exchange.onClosed(() => gone.happen());
    const visit: Visit = {
      exchange,
      gone,
      isGrpc: isGrpcType(exchange.fields['content-type']),
      traceparent: traceparentOf(oneValue(exchange.fields['traceparent']), this.#traceBytes.next()),
      startedMs: clock.monotonicMs(),
    };
    try {
      await this.#places.take();
      this.#record(visit, gone.hasHappened ? lostBy(exchange) : await this.#answer(visit, listener));
    } catch (error) {
      log.error('request failed', { error: error instanceof Error ? error.stack : String(error) });
      exchange.abort();
    }
  }

  async #answer(visit: Visit, listener: string): Promise<Outcome> {
    const { exchange, isGrpc } = visit;
    const table = this.#table;
    const sender = senderOf(exchange, table);
    const path = requestPath(exchange.target);
    const address = sender.ok ? sender.address : exchange.peer;
    const host = hostOf(exchange.authority);
    if (exchange.problem !== undefined || path === undefined || !sender.ok || host === undefined) {
      const message = exchange.problem ?? 'the path, the host or X-Forwarded-For is invalid';
      return this.#refuse(visit, { status: 400, reason: 'malformed', message }, { route: '', address });
    }
    const settings = matchRoute(table.settings, {
      listener,
      host,
      path: path.path,
      isGrpc,
      sni: exchange.sni,
      header: (name) => oneValue(exchange.fields[name]),
    });
    const route = settings && table.routes.get(settings);
    if (route === undefined) {
      const message = `no route for ${host}`;
      return this.#refuse(visit, { status: 404, reason: 'no-route', message }, { route: '', address });
    }
    if (route.concurrency?.enter(address) === false) {
      const refusal = {
        status: 503,
        reason: 'too-many-connections',
        message: 'too many concurrent requests',
      };
      return this.#refuse(visit, refusal, { route: route.settings.name, address });
    }
    try {
      return await this.#pass(visit, route, { ...sender, path, table });
    } finally {
      route.concurrency?.leave(address);
    }
  }

  async #pass(
    visit: Visit,
    route: LiveRoute,
    {
      client,
      address,
      path,
      table,
    }: { client: IpAddress; address: string; path: RequestPath; table: RouteTable },
  ): Promise<Outcome> {
    const { exchange } = visit;
    const { method, fields } = exchange;
    const who = { route: route.settings.name, address };
    const nowMs = this.#deps.clock.monotonicMs();
    const admission = await admit(route, { method, fields, client, address, nowMs });
    if (admission.kind === 'refused') return this.#refuse(visit, admission.refusal, who);
    if (admission.kind === 'answered') {
      exchange.respond({ status: 204, fields: admission.fields, hasBody: false });
      return { ...who, status: 204, bytes: 0 };
    }
    const { rewrite, headers } = route.settings.middlewares;
    const target =
      rewrite === undefined ? path.path : rewritePath(path.path, rewrite.regex, rewrite.replacement);
    const sent = upstreamFields(fields, {
      peer: exchange.peer,
      isPeerTrusted: isTrusted(exchange.peer, table),
      scheme: exchange.isTls ? 'https' : 'http',
      authority: exchange.authority,
      traceparent: visit.traceparent,
      ownNames: table.ownNames,
    });
    return this.#forward(visit, route, {
      ...who,
      path: target + path.query,
      fields: withHeaders({ ...sent, ...admission.claims }, headers?.request),
    });
  }

  async #forward(
    visit: Visit,
    route: LiveRoute,
    { path, fields, ...who }: { path: string; fields: HeaderFields; route: string; address: string },
  ): Promise<Outcome> {
    const { exchange, gone } = visit;
    let refusal: Refusal | undefined;
    const giveUp = (why: Refusal): void => {
      refusal ??= why;
      gone.happen();
    };
    const relay = this.#relayOf(visit, route);
    const body = relay === undefined ? this.#body(visit, route, giveUp) : undefined;
    const stopTimer = this.#answerTimer(visit, route, giveUp);
    const request: UpstreamRequest = {
      method: exchange.method,
      path,
      scheme: exchange.isTls ? 'https' : 'http',
      authority: exchange.authority,
      fields,
      gone,
      isWebSocket: exchange.acceptWebSocket !== undefined,
      ...(body === undefined ? {} : { body }),
      ...(relay === undefined ? {} : { relay }),
    };
    let answer: UpstreamAnswer;
    try {
      answer = await route.pool.ask(request);
    } catch (thrown) {
      if (!(thrown instanceof UpstreamFailure)) throw thrown;
      // One connection of a client, or of an upstream, may end hundreds of requests.
      await this.#places.take();
      if (refusal === undefined && gone.hasHappened) return { ...lostBy(exchange), ...who };
      return this.#refuse(visit, refusal ?? upstreamDown(thrown), who);
    } finally {
      stopTimer();
    }
    const bytes = await (answer.relayed ?? this.#relay(visit, route, answer));
    return { ...who, status: answer.status, bytes };
  }

  /** A call between two connections of HTTP/2 is relayed as frames, unless something must read its body. */
  #relayOf(visit: Visit, route: LiveRoute): RelayedCall | undefined {
    const { exchange, isGrpc } = visit;
    const { upstream, middlewares } = route.settings;
    if (!isGrpc || exchange.call === undefined || upstream.protocol === 'http/1.1') return undefined;
    if (exchange.method === 'HEAD' || middlewares.bodyBytesMax !== undefined) return undefined;
    const answerFields = (fields: HeaderFields): HeaderFields => answerFieldsOf(visit, route, fields);
    return { call: exchange.call, heldBodies: this.heldBodies, answerFields };
  }

  /** Resolves with the bytes that were sent. */
  #relay(visit: Visit, route: LiveRoute, answer: UpstreamAnswer): Promise<number> {
    const { exchange, isGrpc } = visit;
    const { compress } = route.settings.middlewares;
    const fields = answerFieldsOf(visit, route, answer.fields);
    const { slowClients, heldBodies } = this;
    const { webSocket } = answer;
    if (webSocket === undefined || exchange.acceptWebSocket === undefined)
      return relayAnswer(answer, { exchange, isGrpc, compress, fields, slowClients, heldBodies });
    return relayWebSocket(exchange.acceptWebSocket(fields), webSocket, this.#deps.clock);
  }

  /** Returns the body of the request under its limits, or unchanged when nothing limits it. */
  #body({ exchange, isGrpc }: Visit, route: LiveRoute, giveUp: (why: Refusal) => void) {
    const { body: source } = exchange;
    const max = route.settings.middlewares.bodyBytesMax ?? Number.POSITIVE_INFINITY;
    if (source === undefined || (isGrpc && max === Number.POSITIVE_INFINITY)) return source;
    const { body, bytes } = meteredBody(source, max, () => giveUp(tooLarge(max)));
    // A stream of calls may be silent for any time.
    if (!isGrpc)
      this.slowClients.watchUpload(source, bytes, () =>
        giveUp({ status: 408, reason: 'slow-client', message: 'the body arrives too slowly' }),
      );
    return body;
  }

  /** Counts from the end of the request. A gRPC call has its own deadline. */
  #answerTimer({ exchange, isGrpc }: Visit, route: LiveRoute, giveUp: (why: Refusal) => void): () => void {
    const { answerTimeoutMs } = route.settings.middlewares;
    if (isGrpc && answerTimeoutMs === undefined) return () => undefined;
    const waitMs = answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
    const message = `the upstream did not answer within ${waitMs} ms`;
    let cancel = (): void => undefined;
    let isOver = false;
    const start = (): void => {
      if (isOver) return;
      cancel = this.#deps.clock.schedule(waitMs, () =>
        giveUp({ status: 504, reason: 'upstream-timeout', message }),
      );
    };
    if (exchange.body === undefined || isGrpc) start();
    else exchange.body.once('end', start);
    return () => {
      isOver = true;
      cancel();
    };
  }

  #refuse({ exchange, isGrpc }: Visit, refusal: Refusal, who: { route: string; address: string }): Outcome {
    const { status, fields, text } = refusalAnswer(refusal, isGrpc);
    const bytes = Buffer.from(text);
    const hasBody = bytes.length > 0;
    const length = hasBody ? { 'content-length': String(bytes.length) } : {};
    const sink = exchange.respond({ status, fields: { ...fields, ...length }, hasBody });
    if (sink !== undefined) {
      sink.end(bytes);
      const cut = (): void => exchange.abort();
      this.slowClients.watchDownload(sink, () => 0, cut);
    }
    exchange.body?.resume();
    return { ...who, status: refusal.status, bytes: bytes.length, reason: refusal.reason };
  }

  #record({ exchange, isGrpc, startedMs, traceparent }: Visit, outcome: Outcome): void {
    const { route, status, address, bytes, reason } = outcome;
    const ms = this.#deps.clock.monotonicMs() - startedMs;
    this.#metrics.requests.add({ route, code: String(status) });
    if (reason !== undefined) this.#metrics.refused.add({ route, reason });
    this.#metrics.seconds.observe({ route }, ms / 1000);
    this.#deps.log.info('request', {
      route,
      client: address,
      method: exchange.method,
      host: exchange.authority.slice(0, 255),
      // Queries sometimes contain tokens.
      path: exchange.target.replace(/\?.*$/s, '').slice(0, 1024),
      protocol: isGrpc ? 'gRPC' : exchange.protocol,
      status,
      bytes,
      ms: Number(ms.toFixed(1)),
      trace: traceparent.slice(3, 35),
      ...(reason === undefined ? {} : { reason }),
    });
  }
}

/** Its connection ended before its turn or its answer, often together with hundreds of others. */
function lostBy({ peer }: Exchange): Outcome {
  return { route: '', status: CLIENT_GONE, address: peer, bytes: 0, reason: 'client-gone' };
}

function upstreamDown({ message }: UpstreamFailure): Refusal {
  return { status: 502, reason: 'upstream-down', message: `upstream unreachable: ${message}` };
}

function isTrusted(peer: string, { trustedProxies }: RouteTable): boolean {
  const sender = clientAddressOf({ peer, forwardedFor: null }, []);
  return sender.ok && trustedProxies.some((network) => ipNetworkContains(network, sender.address));
}

function senderOf({ peer, fields }: Exchange, { trustedProxies }: RouteTable): Sender {
  const forwardedFor = oneValue(fields['x-forwarded-for']) ?? null;
  const sender = clientAddressOf({ peer, forwardedFor }, trustedProxies);
  return sender.ok ? { ok: true, client: sender.address, address: sender.text } : { ok: false };
}

/** Returns the host without port, in lower case, or undefined when it is not a host. */
export function hostOf(authority: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/.exec(authority);
  return match?.[1]?.toLowerCase().replace(/\.$/, '');
}

/** Returns the fields of an upstream's response for the client. */
function answerFieldsOf({ exchange }: Visit, route: LiveRoute, fields: HeaderFields): HeaderFields {
  const { headers, cors } = route.settings.middlewares;
  const kept = endToEnd(fields);
  const all =
    cors === undefined ? kept : { ...kept, ...corsFields(cors, oneValue(exchange.fields['origin'])) };
  return withHeaders(all, headers?.response);
}

/** An empty value removes a field. */
function withHeaders(fields: HeaderFields, changes: ReadonlyMap<string, string> | undefined): HeaderFields {
  if (changes === undefined) return fields;
  const changed: Record<string, string | string[] | undefined> = { ...fields };
  for (const [name, value] of changes)
    if (value === '') delete changed[name];
    else changed[name] = value;
  return changed;
}
