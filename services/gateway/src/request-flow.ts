/**
 * Handles a request from its first line to its last byte: its route, its authorization, the upstream, and the
 * response. The decisions are in match-route, request-path, admit, header-fields, refusal and compression.
 * This code runs them in that order.
 */
import { TurnPlaces } from '@tinkerbell/platform-contract';
import type { Fields } from '@tinkerbell/http2';
import type { IpAddress } from '@tinkerbell/wire';
import { admit, tooLarge } from './admit.ts';
import { answerBlock, answerFields, withHeaders } from './answer-fields.ts';
import { startAnswerTimer } from './answer-timer.ts';
import { BegunAtOnce } from './begun-at-once.ts';
import type { RelayedCall } from './client-call.ts';
import { Departure, departureOf } from './departure.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { isGrpcType, oneValue, traceparentOf, upstreamFields } from './header-fields.ts';
import { HeldBodies } from './held-bodies.ts';
import type { RequestLine } from './http2-fields.ts';
import { beginKnownCall, type FailedCall, type KnownCallDeps } from './known-calls.ts';
import { matchRoute } from './match-route.ts';
import type { GatewayMetrics } from './metrics.ts';
import { refusalAnswer, type Refusal } from './refusal.ts';
import { constantLogFields, planOf } from './plan-call.ts';
import { relayAnswer } from './relay-answer.ts';
import { relayWebSocket } from './relay-web-socket.ts';
import { requestPath, rewritePath, type RequestPath } from './request-path.ts';
import { NO_ROUTES, type LiveRoute, type RouteTable } from './route-table.ts';
import { hostOf, isTrusted, senderOf } from './sender.ts';
import { meteredBody, SlowClients } from './slow-clients.ts';
import { TraceDigits } from './trace-digits.ts';
import type { UpstreamAnswer, UpstreamRequest } from './upstream-client.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The requests that may wait for their turn, in equal shares of all clients. Clients may begin them faster than they are handled. */
const WAITING_MAX = 2000;
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

/** A request that may continue to the upstream of its route. */
interface Forwarded {
  readonly request: RequestLine & { readonly scheme: 'http' | 'https' };
  readonly relay: RelayedCall | undefined;
  readonly route: string;
  readonly address: string;
}

interface Outcome {
  readonly route: string;
  readonly status: number;
  readonly address: string;
  readonly bytes: number;
  readonly reason?: string;
}

type FlowMetrics = Pick<GatewayMetrics, 'requests' | 'refused' | 'seconds' | 'heldBytes'>;

export class RequestFlow {
  readonly slowClients: SlowClients;
  readonly heldBodies: HeldBodies;
  readonly #deps: GatewayDeps;
  readonly #metrics: FlowMetrics;
  readonly #traceDigits: TraceDigits;
  readonly #knownCalls: KnownCallDeps;
  readonly #begunAtOnce = new BegunAtOnce();
  readonly #places: TurnPlaces;
  #table: RouteTable = NO_ROUTES;

  constructor(deps: GatewayDeps, metrics: FlowMetrics) {
    this.#deps = deps;
    this.#metrics = metrics;
    this.#traceDigits = new TraceDigits(deps.random);
    this.#places = new TurnPlaces(() => this.#begunAtOnce.count(deps.clock.monotonicMs()));
    this.slowClients = new SlowClients(deps.clock);
    this.heldBodies = new HeldBodies(deps.heldBytesMax);
    metrics.heldBytes.from(() => this.heldBodies.bytes());
    this.#knownCalls = {
      clock: deps.clock,
      metrics,
      heldBodies: this.heldBodies,
      traceDigits: this.#traceDigits,
      failed: (call, failure) => void this.#answerFailed(call, failure),
    };
  }

  /** Active requests continue with the table they began with. */
  use(table: RouteTable): void {
    this.#table = table;
  }

  /** Never rejects. Returns undefined when nothing is left to wait for. */
  answer(exchange: Exchange, listener: string): Promise<void> | undefined {
    const startedMs = this.#deps.clock.monotonicMs();
    // Who has proven an identity does not wait behind those who have not. The connection gives out a few calls of a packet at a time.
    if (exchange.head?.plan?.verified !== undefined && this.#repeats(exchange, startedMs)) {
      this.#begunAtOnce.proven(startedMs);
      return undefined;
    }
    if (this.#places.isFull(exchange.peer, WAITING_MAX)) return this.#turnAway(exchange);
    if (!this.#places.takeNow()) return this.#answerLater(exchange, listener, startedMs);
    if (this.#repeats(exchange, startedMs)) return undefined;
    return this.#answerAnew(exchange, listener, { startedMs, gone: departureOf(exchange) });
  }

  /** One that its client gives up before its turn takes none. It is counted and not logged, because there may be thousands in a second. */
  async #answerLater(exchange: Exchange, listener: string, startedMs: number): Promise<void> {
    const gone = departureOf(exchange);
    const hasTurn = await new Promise<boolean>((resolve) => {
      const leave = this.#places.wait(exchange.peer, () => resolve(true));
      exchange.onClosed(() => {
        if (leave()) resolve(false);
      });
    });
    if (!hasTurn) this.#count(lostBy(exchange));
    else if (!this.#repeats(exchange, startedMs))
      await this.#answerAnew(exchange, listener, { startedMs, gone });
  }

  /** Counted and not logged, because there may be thousands in a second. */
  #turnAway(exchange: Exchange): undefined {
    const refusal = { status: 503, reason: 'overloaded', message: 'too many requests wait' };
    const isGrpc = isGrpcType(exchange.fields['content-type']);
    this.#count(this.#refuse({ exchange, isGrpc }, refusal, { route: '', address: exchange.peer }));
  }

  #repeats(exchange: Exchange, startedMs: number): boolean {
    return beginKnownCall(this.#knownCalls, exchange, { table: this.#table, startedMs });
  }

  async #answerAnew(
    exchange: Exchange,
    listener: string,
    { startedMs, gone }: Pick<Visit, 'startedMs' | 'gone'>,
  ): Promise<void> {
    try {
      const visit: Visit = {
        exchange,
        gone,
        isGrpc: isGrpcType(exchange.fields['content-type']),
        traceparent: traceparentOf(oneValue(exchange.fields['traceparent']), this.#traceDigits.next()),
        startedMs,
      };
      this.#record(visit, gone.hasHappened ? lostBy(exchange) : await this.#answer(visit, listener));
    } catch (error) {
      this.#deps.log.error('request failed', {
        error: error instanceof Error ? error.stack : String(error),
      });
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
    const request = {
      method: exchange.method,
      path: target + path.query,
      scheme: exchange.isTls ? 'https' : 'http',
      authority: exchange.authority,
      fields: withHeaders({ ...sent, ...admission.claims }, headers?.request),
    } as const;
    const relay = this.#relayOf(visit, route);
    const { head } = exchange;
    if (relay !== undefined && head?.isRepeated === true) {
      const { verified } = admission;
      head.plan = planOf({ exchange, request, table, route, address, verified }, this.#deps.log);
    }
    return this.#forward(visit, route, { ...who, request, relay });
  }

  async #forward(
    visit: Visit,
    route: LiveRoute,
    { request: line, relay, ...who }: Forwarded,
  ): Promise<Outcome> {
    const { exchange, gone } = visit;
    let refusal: Refusal | undefined;
    const giveUp = (why: Refusal): void => {
      refusal ??= why;
      gone.happen();
    };
    const body = relay === undefined ? this.#body(visit, route, giveUp) : undefined;
    const stopTimer = startAnswerTimer(this.#deps.clock, visit, {
      waitMs: route.settings.middlewares.answerTimeoutMs,
      giveUp,
    });
    const request: UpstreamRequest = {
      ...line,
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
    const { answers, trailers } = route;
    const own = (fields: Fields): Uint8Array =>
      answerBlock(fields, middlewares, oneValue(exchange.fields['origin']));
    return {
      call: exchange.call,
      heldBodies: this.heldBodies,
      answers: middlewares.cors === undefined ? answers : { of: own },
      trailers,
    };
  }

  /** Resolves with the bytes that were sent. */
  #relay(visit: Visit, route: LiveRoute, answer: UpstreamAnswer): Promise<number> {
    const { exchange, isGrpc } = visit;
    const { compress } = route.settings.middlewares;
    const fields = answerFields(
      answer.fields,
      route.settings.middlewares,
      oneValue(exchange.fields['origin']),
    );
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

  #refuse(
    { exchange, isGrpc }: Pick<Visit, 'exchange' | 'isGrpc'>,
    refusal: Refusal,
    who: { route: string; address: string },
  ): Outcome {
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

  async #answerFailed(call: FailedCall, failure: UpstreamFailure): Promise<void> {
    const { exchange, plan, digits, startedMs } = call;
    const who = { route: plan.route.settings.name, address: plan.address };
    const visit = {
      exchange,
      isGrpc: true,
      startedMs,
      traceparent: traceparentOf(undefined, digits),
      gone: new Departure(),
    };
    await this.#places.take();
    const isGone = exchange.call?.stream.isOpen !== true;
    this.#record(
      visit,
      isGone ? { ...lostBy(exchange), ...who } : this.#refuse(visit, upstreamDown(failure), who),
    );
  }

  #record({ exchange, isGrpc, startedMs, traceparent }: Visit, outcome: Outcome): void {
    const { route, status, address, bytes, reason } = outcome;
    const ms = this.#deps.clock.monotonicMs() - startedMs;
    this.#count(outcome);
    this.#metrics.seconds.observe({ route }, ms / 1000);
    this.#deps.log.info('request', {
      ...constantLogFields(exchange, { route, address, isGrpc }),
      status,
      bytes,
      ms: Number(ms.toFixed(1)),
      trace: traceparent.slice(3, 35),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  #count({ route, status, reason }: Outcome): void {
    this.#metrics.requests.add({ route, code: String(status) });
    if (reason !== undefined) this.#metrics.refused.add({ route, reason });
  }
}

/** Its connection ended before its turn or its answer, often together with hundreds of others. */
function lostBy({ peer }: Exchange): Outcome {
  return { route: '', status: CLIENT_GONE, address: peer, bytes: 0, reason: 'client-gone' };
}

function upstreamDown({ message }: UpstreamFailure): Refusal {
  return { status: 502, reason: 'upstream-down', message: `upstream unreachable: ${message}` };
}
