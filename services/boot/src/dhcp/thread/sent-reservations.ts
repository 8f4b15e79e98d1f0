import { reservationFor, type Reservation, type ReservationResult } from '@tinkerbell/netboot';
import { macsOf, type Resource } from '@tinkerbell/resources';
import { hardwareCollection, type Change, type View } from '@tinkerbell/store-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';
import type { DhcpOrder } from './messages.ts';

/** Each takes 2 kB in the DHCP thread. */
const SENT_MAX = 16_384;

interface Deps {
  readonly view: Pick<View, 'hardwareByMac' | 'onChange'>;
  order(order: DhcpOrder): void;
}

/** Sends the DHCP thread the reservations of machines that ask, and names those that no longer hold. */
export class SentReservations {
  readonly #deps: Deps;
  readonly #sent = new Map<Mac, Reservation>();
  readonly #macsOf = new Map<string, ReadonlySet<Mac>>();
  readonly #unfollow: () => void;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#unfollow = deps.view.onChange((change) => this.#take(change));
  }

  send(result: ReservationResult): void {
    if (!result.ok || this.#sent.get(result.value.mac) === result.value) return;
    const [reservation, [oldest]] = [result.value, this.#sent.keys()];
    if (this.#sent.size >= SENT_MAX && oldest !== undefined) this.#forget([oldest]);
    const { mac } = reservation;
    const path = pathOf(reservation.namespace, reservation.hardwareName);
    this.#sent.set(mac, reservation);
    this.#macsOf.set(path, new Set([...(this.#macsOf.get(path) ?? []), mac]));
    this.#deps.order({ kind: 'know', reservation });
  }

  stop(): void {
    this.#unfollow();
  }

  /** A MAC that the Hardware no longer names may now belong to another one, and one that it names may have had another owner. */
  #take({ key, object }: Change): void {
    if (key.collection !== hardwareCollection.name) return;
    const mentioned = [...macsIn(object), ...(this.#macsOf.get(pathOf(key.namespace, key.name)) ?? [])];
    const old = mentioned.filter((mac) => this.#isOld(mac));
    if (old.length > 0) this.#forget(old);
  }

  #isOld(mac: Mac): boolean {
    const sent = this.#sent.get(mac);
    if (sent === undefined) return false;
    const now = reservationFor(this.#deps.view.hardwareByMac(mac), mac);
    return !now.ok || now.value !== sent;
  }

  #forget(macs: readonly Mac[]): void {
    for (const mac of macs) {
      const sent = this.#sent.get(mac);
      if (sent === undefined) continue;
      this.#sent.delete(mac);
      const path = pathOf(sent.namespace, sent.hardwareName);
      const others = new Set(this.#macsOf.get(path));
      others.delete(mac);
      if (others.size === 0) this.#macsOf.delete(path);
      else this.#macsOf.set(path, others);
    }
    this.#deps.order({ kind: 'forget', macs });
  }
}

function macsIn(object: Resource): readonly Mac[] {
  return macsOf(hardwareCollection.typed(object)).flatMap((mac) => parseMac(mac) ?? []);
}

function pathOf(namespace: string | undefined, name: string): string {
  return `${namespace}/${name}`;
}
