import type { Reservation } from '@tinkerbell/netboot';
import type { Mac } from '@tinkerbell/wire';

/** What differs between the machines of a network. */
type Own = Pick<Reservation, 'mac' | 'hardwareName' | 'hardwareUid' | 'hostName' | 'agentId' | 'address'>;

type Shared = Omit<Reservation, keyof Own>;

interface Known {
  readonly own: Own;
  readonly shared: Shared;
}

/** Beyond this number, parts are no longer shared with those before. */
const SHARED_MAX = 1024;

/**
 * The reservations of the DHCP thread. A message between threads copies all that it has, each text for itself. So machines share what they have
 * in common, and a machine takes 0.5 instead of 1 kB.
 */
export class KnownReservations {
  readonly #known = new Map<Mac, Known>();
  readonly #shared = new Map<string, Shared>();

  set(reservation: Reservation): void {
    const { mac, hardwareName, hostName, agentId, hardwareUid, address, ...rest } = reservation;
    const own: Own = {
      mac,
      hardwareName,
      hostName: hostName === hardwareName ? hardwareName : hostName,
      agentId: agentId === mac ? mac : agentId,
      ...(hardwareUid === undefined ? {} : { hardwareUid }),
      ...(address === undefined ? {} : { address }),
    };
    this.#known.set(mac, { own, shared: this.#sharedOf(rest) });
  }

  get(mac: Mac): Reservation | undefined {
    const known = this.#known.get(mac);
    return known === undefined ? undefined : { ...known.shared, ...known.own };
  }

  delete(mac: Mac): void {
    this.#known.delete(mac);
  }

  #sharedOf(rest: Shared): Shared {
    const key = JSON.stringify(rest);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    if (this.#shared.size >= SHARED_MAX) this.#shared.clear();
    this.#shared.set(key, rest);
    return rest;
  }
}
