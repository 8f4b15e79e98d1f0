/**
 * Relays calls of gRPC that repeat an earlier one of their connection. Most of what a request needs depends on its header fields alone, and
 * is in the plan of the earlier call. What may change is checked for each call: the table of routes, the token, limits, and the upstream.
 */
import type { Clock } from '@tinkerbell/platform-contract';
import type { CallPlan } from './call-plan.ts';
import { CallRelay } from './call-relay.ts';
import type { CallEvents, ClientCall, RelayedCall } from './client-call.ts';
import type { Exchange } from './exchange.ts';
import type { HeldBodies } from './held-bodies.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { RouteTable } from './route-table.ts';
import type { TraceDigits } from './trace-digits.ts';
import type { UpstreamFailure } from './upstream-failure.ts';
import type { FreePlace } from './upstream-pool.ts';

const TRACE_DIGITS = 32;

export interface KnownCallDeps {
  readonly clock: Clock;
  readonly metrics: Pick<GatewayMetrics, 'requests' | 'seconds'>;
  readonly heldBodies: HeldBodies;
  readonly traceDigits: TraceDigits;
  /** The upstream did not answer the call. */
  failed(call: FailedCall, failure: UpstreamFailure): void;
}

export interface FailedCall {
  readonly exchange: Exchange;
  readonly plan: CallPlan;
  readonly digits: string;
  readonly startedMs: number;
}

/** Returns false when the request must be answered like one that was never seen. Nothing has happened then. */
export function beginKnownCall(
  deps: KnownCallDeps,
  exchange: Exchange,
  { table, startedMs }: { readonly table: RouteTable; readonly startedMs: number },
): boolean {
  const plan = exchange.head?.plan;
  const { call } = exchange;
  if (plan?.table !== table || call?.stream.isOpen !== true) return false;
  const place = isStillAllowed(plan) ? plan.route.pool.free() : undefined;
  if (place === undefined || !hasRoom(plan, deps.clock.monotonicMs())) return false;
  new KnownCall(deps, { exchange, plan, digits: deps.traceDigits.next(), startedMs, call, place }).begin();
  return true;
}

function isStillAllowed({ route, verified }: CallPlan): boolean {
  return verified === undefined || route.verifier?.stillHolds(verified) === true;
}

/** Counts the call where it may begin. */
function hasRoom({ route: { concurrency, rate }, address }: CallPlan, nowMs: number): boolean {
  if (concurrency?.enter(address) === false) return false;
  if (rate?.take(address, nowMs) === undefined) return true;
  concurrency?.leave(address);
  return false;
}

class KnownCall implements RelayedCall, CallEvents {
  readonly call: ClientCall;
  readonly heldBodies: HeldBodies;
  readonly #deps: KnownCallDeps;
  readonly #begun: FailedCall & { readonly place: FreePlace };
  #status = 0;

  constructor(
    deps: KnownCallDeps,
    begun: FailedCall & { readonly call: ClientCall; readonly place: FreePlace },
  ) {
    this.call = begun.call;
    this.heldBodies = deps.heldBodies;
    this.#deps = deps;
    this.#begun = begun;
  }

  get answers() {
    return this.#begun.plan.route.answers;
  }

  get trailers() {
    return this.#begun.plan.route.trailers;
  }

  begin(): void {
    const { place, plan, digits } = this.#begun;
    new CallRelay(this, this).begin(place.connection, plan.block.of(digits));
  }

  answered(status: number): void {
    this.#status = status;
    const { plan, place } = this.#begun;
    plan.route.pool.answered(place.member);
  }

  ended(bytes: number): void {
    const { plan, startedMs, digits } = this.#begun;
    const { clock, metrics } = this.#deps;
    const route = plan.route.settings.name;
    const ms = clock.monotonicMs() - startedMs;
    plan.route.concurrency?.leave(plan.address);
    metrics.requests.add({ route, code: String(this.#status) });
    metrics.seconds.observe({ route }, ms / 1000);
    plan.log.info('request', {
      status: this.#status,
      bytes,
      ms: Math.round(ms * 10) / 10,
      trace: digits.slice(0, TRACE_DIGITS),
    });
  }

  failed(failure: UpstreamFailure): void {
    const { plan, place } = this.#begun;
    plan.route.concurrency?.leave(plan.address);
    if (this.call.stream.isOpen) plan.route.pool.failed(place.member);
    this.#deps.failed(this.#begun, failure);
  }
}
