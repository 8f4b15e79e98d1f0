/**
 * Lets relay agents try something in the networks of their clients. A relay has no connection of its own to the server, so it calls again and
 * again, and each call waits for orders. Its credential says which relay calls, and never its address.
 */
import type {
  Clock,
  NetworkTrial,
  NetworkTrialResult,
  Random,
  RelayTrials,
} from '@tinkerbell/platform-contract';
import { bytesToHex } from '@tinkerbell/wire';
import { hasNetworkOf, relayCallIn, resultOf, type RelayCall } from './relay-call.ts';

/** Shorter than the 60 s after which proxies end a request. */
const WAIT_MS = 20_000;
/** A relay that tries something does not call. */
const ABSENCE_MS = 15_000;
/** A port that drops packets takes the relay three seconds. */
const ANSWER_MS = 10_000;
const RELAYS_MAX = 256;
const RELAYS_SHOWN = 8;
/** Of one relay, and so of one answer. */
const ORDERS_MAX = 8;
const ID_BYTES = 16;

export interface RelayOrder extends NetworkTrial {
  /** The answer repeats it. */
  readonly id: string;
}

/** `namespace` and `name` of the ServiceAccount of a relay. */
export interface RelayAccount {
  readonly namespace: string;
  readonly name: string;
}

export type RelayPolled =
  | { readonly ok: true; readonly orders: readonly RelayOrder[] }
  | { readonly ok: false; readonly kind: 'invalid' | 'taken' | 'full'; readonly message: string };

interface Waiting {
  readonly order: RelayOrder;
  isGiven: boolean;
  readonly resolve: (result: NetworkTrialResult) => void;
}

interface Desk {
  readonly namespace: string;
  networks: RelayCall['networks'];
  /** By the id of the order. */
  readonly waiting: Map<string, Waiting>;
  /** Ends the call that waits. */
  wake: (() => void) | undefined;
  seenMs: number;
}

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
}

export class RelayBook implements RelayTrials {
  readonly #deps: Deps;
  readonly #desks = new Map<string, Desk>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  isConnected(name: string): boolean {
    const desk = this.#desks.get(name);
    if (desk === undefined) return false;
    return desk.wake !== undefined || this.#deps.clock.nowMs() - desk.seenMs < ABSENCE_MS;
  }

  near(address: string): readonly string[] {
    return [...this.#desks]
      .filter(([name, desk]) => this.isConnected(name) && hasNetworkOf(desk, address))
      .map(([name]) => name)
      .slice(0, RELAYS_SHOWN);
  }

  async run(name: string, trial: NetworkTrial): Promise<NetworkTrialResult | undefined> {
    const { clock, random } = this.#deps;
    const desk = this.#desks.get(name);
    if (desk === undefined || !this.isConnected(name) || desk.waiting.size >= ORDERS_MAX) return undefined;
    const id = bytesToHex(random.bytes(ID_BYTES));
    const { promise, resolve } = Promise.withResolvers<NetworkTrialResult | undefined>();
    const cancel = clock.schedule(ANSWER_MS, () => resolve(undefined));
    desk.waiting.set(id, { order: { id, ...trial }, isGiven: false, resolve });
    desk.wake?.();
    try {
      return await promise;
    } finally {
      cancel();
      desk.waiting.delete(id);
    }
  }

  /** Takes the answers of a relay, and resolves with its next orders. None: it calls again. Never rejects. */
  async poll(account: RelayAccount, body: unknown, signal: AbortSignal): Promise<RelayPolled> {
    const call = relayCallIn(body);
    if (typeof call === 'string') return { ok: false, kind: 'invalid', message: call };
    const desk = this.#deskOf(account);
    if ('ok' in desk) return desk;
    desk.networks = call.networks;
    for (const answer of call.answers) {
      const waiting = desk.waiting.get(answer.id);
      waiting?.resolve(resultOf(answer, waiting.order));
    }
    desk.wake?.();
    if (ordersFor(desk).length === 0) await this.#woken(desk, signal);
    desk.seenMs = this.#deps.clock.nowMs();
    return { ok: true, orders: signal.aborted ? [] : give(desk) };
  }

  #deskOf({ namespace, name }: RelayAccount): Desk | Extract<RelayPolled, { ok: false }> {
    for (const one of this.#desks.keys()) if (!this.isConnected(one)) this.#desks.delete(one);
    const found = this.#desks.get(name);
    if (found?.namespace === namespace) return found;
    if (found !== undefined) {
      const message = `the account ${found.namespace}/${name} is connected as relay ${name}; give this relay an account with another name`;
      return { ok: false, kind: 'taken', message };
    }
    if (this.#desks.size >= RELAYS_MAX)
      return { ok: false, kind: 'full', message: `${RELAYS_MAX} relays are connected already` };
    const desk = {
      namespace,
      networks: [],
      waiting: new Map(),
      wake: undefined,
      seenMs: this.#deps.clock.nowMs(),
    };
    this.#desks.set(name, desk);
    return desk;
  }

  /** Resolves when there is an order, when the relay calls again, and after a while. */
  async #woken(desk: Desk, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    desk.wake = resolve;
    const cancel = this.#deps.clock.schedule(WAIT_MS, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await promise;
    cancel();
    if (desk.wake === resolve) desk.wake = undefined;
  }
}

function ordersFor({ waiting }: Desk): readonly Waiting[] {
  return [...waiting.values()].filter(({ isGiven }) => !isGiven);
}

function give(desk: Desk): readonly RelayOrder[] {
  return ordersFor(desk).map((one) => {
    one.isGiven = true;
    return one.order;
  });
}
