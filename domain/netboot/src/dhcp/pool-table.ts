import { ipv4FromNumber, ipv4ToNumber, type Ipv4, type Mac } from '@tinkerbell/wire';
import { isInPool, type AddressPool } from './pool.ts';

/**
 * The holder of a pool's address, or its last holder. The address is free once `untilMs` has passed, and is kept for its last
 * holder.
 */
export interface Holding {
  readonly address: Ipv4;
  /** For a declined address, this is the machine that found it in use. */
  readonly mac: Mac;
  /**
   * `offered`: held in memory only, until the client answers. `declined`: another machine, which this server does not know, uses
   * it.
   */
  readonly state: 'offered' | 'leased' | 'released' | 'declined';
  readonly untilMs: number;
}

export interface AddressQuestion {
  readonly mac: Mac;
  readonly pool: AddressPool;
  /** Option 50: the address that the client requests. */
  readonly requested?: Ipv4 | undefined;
  /** Addresses that are assigned otherwise: by Hardware, or to the server itself. */
  readonly isReserved: (address: Ipv4) => boolean;
  readonly nowMs: number;
}

/** After a pool was found full, it is not searched again for each client that keeps asking. */
const FULL_FOR_MS = 1000;

/**
 * All addresses that pools have assigned. There is one holding per address, so it is at most as large as the pools. It has no
 * clock: the caller passes the time.
 */
export class PoolTable {
  /** Keyed by the address as a number, because a search for a free one compares thousands. */
  readonly #byAddress = new Map<number, Holding>();
  readonly #byMac = new Map<Mac, readonly Holding[]>();
  /** Every address of the pool below this one has a holding, except for reserved addresses. */
  readonly #neverGivenFrom = new Map<AddressPool, number>();
  readonly #fullUntilMs = new Map<AddressPool, number>();

  at(address: Ipv4): Holding | undefined {
    return this.#byAddress.get(ipv4ToNumber(address));
  }

  /** Returns the address that a machine has, or had last, in a pool. */
  of(mac: Mac, pool: AddressPool): Holding | undefined {
    const own = (this.#byMac.get(mac) ?? []).filter(
      ({ address, state }) => state !== 'declined' && isInPool(pool, address),
    );
    return own.reduce<Holding | undefined>(
      (best, one) => (best === undefined || one.untilMs > best.untilMs ? one : best),
      undefined,
    );
  }

  /** Returns the number of addresses that are not assigned because this machine found them in use. */
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
   * Returns the address for a machine: the one it has or had, else the one it requests, else one that was never assigned, else
   * the one that has been free for longest. Returns undefined when the pool has no free address.
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
      // Reserved addresses were skipped, and may be free by then.
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
