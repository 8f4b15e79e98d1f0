import {
  isSameForReservation,
  uncachedReservationFor,
  type Reservation,
  type ReservationResult,
} from '@tinkerbell/netboot';
import { macsOf, type Hardware, type Resource } from '@tinkerbell/resources';
import { hardwareCollection, type Change, type View } from '@tinkerbell/store-contract';
import type { Clock } from '@tinkerbell/platform-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';
import type { DhcpOrder } from './messages.ts';

/** Each takes 0.5 kB in the DHCP thread. */
const SENT_MAX = 16_384;
/** Reading and sending this many takes a millisecond. */
const AHEAD_PER_TURN = 64;
const TURNS_APART_MS = 10;
/** Several changes of a Hardware in this time are sent once. Meanwhile the main thread answers its machine. */
const CHANGES_COLLECTED_MS = 100;
/** The time until the next try while the store is unreachable. */
const NOT_READY_MS = 1_000;

interface Deps {
  readonly view: Pick<View, 'hardwareByMac' | 'onChange' | 'all' | 'ready'>;
  readonly clock: Pick<Clock, 'schedule'>;
  order(order: DhcpOrder): void;
}

/**
 * Sends the DHCP thread the reservations of machines, in the background or when one asks, and names those that no longer hold.
 */
export class SentReservations {
  readonly #deps: Deps;
  /** The Hardware whose reservations were sent. It is in memory anyway, and a reservation takes 0.7 kB. */
  readonly #sent = new Map<Mac, Hardware>();
  readonly #unfollow: () => void;
  /** The MACs whose reservations are sent next. */
  #ahead: Iterator<Mac> | undefined;
  readonly #changed = new Set<Mac>();
  #cancel: (() => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#unfollow = deps.view.onChange((change, before) => this.#take(change, before));
    this.#schedule(0, () => this.#beginAhead());
  }

  /** A machine has asked. */
  send(result: ReservationResult): void {
    if (!result.ok) return;
    const [reservation, [oldest]] = [result.value, this.#sent.keys()];
    const [hardware] = this.#deps.view.hardwareByMac(reservation.mac);
    if (hardware === undefined || this.#isSent(reservation.mac, hardware)) return;
    if (this.#sent.size >= SENT_MAX && oldest !== undefined) this.#forget([oldest]);
    this.#sent.set(reservation.mac, hardware);
    this.#deps.order({ kind: 'know', reservations: [reservation] });
  }

  stop(): void {
    this.#unfollow();
    this.#cancel?.();
  }

  #schedule(delayMs: number, task: () => void): void {
    this.#cancel = this.#deps.clock.schedule(delayMs, () => {
      this.#cancel = undefined;
      task();
    });
  }

  #beginAhead(): void {
    const { view } = this.#deps;
    if (!view.ready()) return this.#schedule(NOT_READY_MS, () => this.#beginAhead());
    this.#ahead = view.all(hardwareCollection.name).values().flatMap(macsIn);
    this.#sendAhead();
  }

  #sendAhead(): void {
    const reservations: Reservation[] = [];
    for (let count = 0; count < AHEAD_PER_TURN && this.#sent.size < SENT_MAX; count += 1) {
      const mac = this.#nextAhead();
      if (mac === undefined) break;
      if (this.#sent.has(mac)) continue;
      const hardware = this.#deps.view.hardwareByMac(mac);
      const [owner] = hardware;
      const result = uncachedReservationFor(hardware, mac);
      if (owner === undefined || !result.ok) continue;
      this.#sent.set(mac, owner);
      reservations.push(result.value);
    }
    if (reservations.length > 0) this.#deps.order({ kind: 'know', reservations });
    if (this.#sent.size >= SENT_MAX) this.#stopAhead();
    if (this.#ahead !== undefined || this.#changed.size > 0)
      this.#schedule(TURNS_APART_MS, () => this.#sendAhead());
  }

  #nextAhead(): Mac | undefined {
    for (const mac of this.#changed) {
      this.#changed.delete(mac);
      return mac;
    }
    const next = this.#ahead?.next();
    if (next?.done !== true) return next?.value;
    this.#ahead = undefined;
    return undefined;
  }

  /** The thread knows as many as it may. It learns others when they ask. */
  #stopAhead(): void {
    this.#ahead = undefined;
    this.#changed.clear();
  }

  /** A MAC that the Hardware no longer names may now belong to another one, and one that it names may have had another owner. */
  #take({ key, object }: Change, before: Resource | undefined): void {
    if (key.collection !== hardwareCollection.name) return;
    const mentioned = macsInEither(object, before);
    const old = mentioned.filter((mac) => this.#isOld(mac));
    if (old.length > 0) this.#forget(old);
    if (this.#sent.size >= SENT_MAX) return;
    for (const mac of mentioned) if (!this.#sent.has(mac)) this.#changed.add(mac);
    if (this.#changed.size > 0 && this.#cancel === undefined)
      this.#schedule(CHANGES_COLLECTED_MS, () => this.#sendAhead());
  }

  #isOld(mac: Mac): boolean {
    if (!this.#sent.has(mac)) return false;
    const [hardware, ...others] = this.#deps.view.hardwareByMac(mac);
    if (hardware === undefined || others.length > 0 || !this.#isSent(mac, hardware)) return true;
    // The version before it is not kept in memory.
    this.#sent.set(mac, hardware);
    return false;
  }

  #isSent(mac: Mac, hardware: Hardware): boolean {
    const sent = this.#sent.get(mac);
    return sent !== undefined && isSameForReservation(sent, hardware);
  }

  #forget(macs: readonly Mac[]): void {
    for (const mac of macs) this.#sent.delete(mac);
    this.#deps.order({ kind: 'forget', macs });
  }
}

function macsInEither(object: Resource, before: Resource | undefined): readonly Mac[] {
  const now = macsIn(object);
  if (before === undefined || specOf(before) === specOf(object)) return now;
  return [...new Set([...now, ...macsIn(before)])];
}

/** A change of the status alone keeps it. */
function specOf(object: Resource): Hardware['spec'] {
  return hardwareCollection.typed(object).spec;
}

function macsIn(object: Resource): readonly Mac[] {
  return macsOf(hardwareCollection.typed(object)).flatMap((mac) => parseMac(mac) ?? []);
}
