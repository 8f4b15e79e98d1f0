import { ipv4FromNumber, ipv4ToNumber, type Ipv4, type Mac } from '@tinkerbell/wire';
import { isInPool, type AddressPool } from './pool.ts';

/** Who has an address of a pool, or had it last. It is free once `untilMs` has passed, and kept for who had it. */
export interface Holding {
  readonly address: Ipv4;
  /** Of a declined address: of the machine that found it in use. */
  readonly mac: Mac;
  /** `offered`: until the client answers, in memory only. `declined`: a machine that is not ours has it. */
  readonly state: 'offered' | 'leased' | 'released' | 'declined';
  readonly untilMs: number;
}

export interface AddressQuestion {
  readonly mac: Mac;
  readonly pool: AddressPool;
  /** Option 50: what the client would like. */
  readonly requested?: Ipv4 | undefined;
  /** Addresses that belong to somebody by other means: of Hardware, our own. */
  readonly isReserved: (address: Ipv4) => boolean;
  readonly nowMs: number;
}

/** A pool without a free address is not looked through for each of the clients that keep asking. */
const FULL_FOR_MS = 1000;

/**
 * All addresses that pools have given. As large as the pools at most, because there is one holding per address. Knows no
 * clock: times come with the question.
 */
export class PoolTable {
  /** By address as a number: looking for a free one compares thousands. */
  readonly #byAddress = new Map<number, Holding>();
  readonly #byMac = new Map<Mac, readonly Holding[]>();
  /** Below it no address of the pool is without holding, but for reserved ones. */
  readonly #neverGivenFrom = new Map<AddressPool, number>();
  readonly #fullUntilMs = new Map<AddressPool, number>();

  at(address: Ipv4): Holding | undefined {
    return this.#byAddress.get(ipv4ToNumber(address));
  }

  /** What a machine has, or had last, in a pool. */
  of(mac: Mac, pool: AddressPool): Holding | undefined {
    const own = (this.#byMac.get(mac) ?? []).filter(
      ({ address, state }) => state !== 'declined' && isInPool(pool, address),
    );
    return own.reduce<Holding | undefined>(
      (best, one) => (best === undefined || one.untilMs > best.untilMs ? one : best),
      undefined,
    );
  }

  /** How many addresses are left alone because this machine found them in use. */
  declinedBy(mac: Mac, nowMs: number): number {
    return (this.#byMac.get(mac) ?? []).filter(
      ({ state, untilMs }) => state === 'declined' && untilMs > nowMs,
    ).length;
  }

  hasEverHad(mac: Mac): boolean {
    return (this.#byMac.get(mac) ?? []).some(({ state }) => state !== 'declined');
  }

  put(holding: Holding): void {
    const before = this.at(holding.address);
    if (before !== undefined) this.#forgetOf(before);
    this.#byAddress.set(ipv4ToNumber(holding.address), holding);
    this.#byMac.set(holding.mac, [...(this.#byMac.get(holding.mac) ?? []), holding]);
  }

  #forgetOf(holding: Holding): void {
    const rest = (this.#byMac.get(holding.mac) ?? []).filter((one) => one !== holding);
    if (rest.length === 0) this.#byMac.delete(holding.mac);
    else this.#byMac.set(holding.mac, rest);
  }

  /**
   * The address a machine gets: the one it has or had, else the one it asks for, else one that nobody had yet, else the
   * one that has been free for longest. Undefined when the pool has none.
   */
  choose(question: AddressQuestion): Ipv4 | undefined {
    const { mac, pool, requested } = question;
    const former = this.of(mac, pool);
    const wishes = [former?.address, requested];
    const wish = wishes.find((address) => address !== undefined && this.#isFreeFor(question, address));
    if (wish !== undefined) return wish;
    if ((this.#fullUntilMs.get(pool) ?? 0) > question.nowMs) return undefined;
    const address = this.#neverGiven(question) ?? this.#longestFree(question);
    if (address === undefined) {
      this.#fullUntilMs.set(pool, question.nowMs + FULL_FOR_MS);
      // Reserved addresses were passed over, and may be free by then.
      this.#neverGivenFrom.delete(pool);
    }
    return address;
  }

  #isFreeFor({ mac, pool, isReserved, nowMs }: AddressQuestion, address: Ipv4): boolean {
    if (!isInPool(pool, address) || isReserved(address)) return false;
    const holding = this.at(address);
    if (holding === undefined || holding.untilMs <= nowMs) return true;
    return holding.mac === mac && holding.state !== 'declined';
  }

  #neverGiven({ pool, isReserved }: AddressQuestion): Ipv4 | undefined {
    const last = ipv4ToNumber(pool.last);
    let number = this.#neverGivenFrom.get(pool) ?? ipv4ToNumber(pool.first);
    for (; number <= last; number++) {
      if (!this.#byAddress.has(number) && !isReserved(ipv4FromNumber(number))) break;
    }
    this.#neverGivenFrom.set(pool, number);
    return number <= last ? ipv4FromNumber(number) : undefined;
  }

  #longestFree({ pool, isReserved, nowMs }: AddressQuestion): Ipv4 | undefined {
    const [first, last] = [ipv4ToNumber(pool.first), ipv4ToNumber(pool.last)];
    let best: Holding | undefined;
    for (const [number, holding] of this.#byAddress) {
      if (number < first || number > last || holding.untilMs > nowMs) continue;
      if (best !== undefined && holding.untilMs >= best.untilMs) continue;
      if (!isReserved(holding.address)) best = holding;
    }
    return best?.address;
  }
}
