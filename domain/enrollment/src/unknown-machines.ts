/**
 * Machines that ask to boot and that no Hardware describes, because new operators first ask why nothing happens. They are kept in
 * memory, and their number is limited. Any sender of packets can invent MACs, so a machine keeps its place only once it asks
 * again, as firmware does for minutes and a flood of new MACs does not.
 */

/** The facts of one packet. */
export interface Sighting {
  /** Lower case with colons. */
  readonly mac: string;
  /** The sender: `PXE firmware`, `UEFI HTTP boot`, `iPXE 1.21.1`, `BMC (Dell iDRAC)`. */
  readonly client: string;
  /** The number in option 93 (RFC 4578), or 255 for an unknown one. */
  readonly architecture: number;
  /** Option 60, such as `PXEClient:Arch:00007:UNDI:003016`. */
  readonly vendorClass: string;
  /** `discover`, `request`. */
  readonly asked: string;
  /** The reason why no answer was sent. Absent when an answer was sent. */
  readonly reason?: string;
  readonly message?: string;
  /** The product, for a BMC that asks for its own address. */
  readonly bmc?: string;
  /** The address that a BMC has, or has accepted. */
  readonly address?: string;
}

export interface UnknownMachine extends Sighting {
  /** Milliseconds since the Unix epoch. */
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** The number of packets. */
  readonly count: number;
}

/** Machines that have asked again. */
const SETTLED_MAX = 256;
/**
 * Machines seen for the first time. New ones displace the oldest of these, and no settled one. The number is so large that a
 * flood must bring 500 a second to displace a machine before it asks again. It takes about 2 MB.
 */
const NEWCOMERS_MAX = 2_048;
/** The number of these that are shown, the latest ones. */
const NEWCOMERS_SHOWN = 256;
/** Firmware asks again after 4, 8, 16 and 32 s. The packets of one exchange are closer together. */
const SETTLES_AFTER_MS = 3_000;
/** A settled machine that is silent for this long loses its place when there is none left. */
const SILENT_MS = 600_000;
const TEXT_MAX = 128;

export class UnknownMachines {
  /** Each in the order of the last packet, the oldest first. */
  readonly #newcomers = new Map<string, UnknownMachine>();
  readonly #settled = new Map<string, UnknownMachine>();

  /** Returns true when the machine has just settled, which is reported once. */
  see(sighting: Sighting, nowMs: number): boolean {
    const { mac } = sighting;
    const known = this.#settled.get(mac) ?? this.#newcomers.get(mac);
    const machine: UnknownMachine = {
      ...bounded({ ...addressIn(known), ...sighting }),
      firstSeenMs: known?.firstSeenMs ?? nowMs,
      lastSeenMs: nowMs,
      count: (known?.count ?? 0) + 1,
    };
    if (this.#settled.delete(mac)) {
      this.#settled.set(mac, machine);
      return false;
    }
    this.#newcomers.delete(mac);
    if (nowMs - machine.firstSeenMs >= SETTLES_AFTER_MS && this.#hasRoom(nowMs)) {
      this.#settled.set(mac, machine);
      return true;
    }
    this.#newcomers.set(mac, machine);
    const [oldest] = this.#newcomers.keys();
    if (this.#newcomers.size > NEWCOMERS_MAX && oldest !== undefined) this.#newcomers.delete(oldest);
    return false;
  }

  /** Makes room among the settled machines where one has been silent. */
  #hasRoom(nowMs: number): boolean {
    if (this.#settled.size < SETTLED_MAX) return true;
    const [oldest] = this.#settled.values();
    if (oldest === undefined || nowMs - oldest.lastSeenMs < SILENT_MS) return false;
    return this.#settled.delete(oldest.mac);
  }

  /** The last one seen first. */
  list(): readonly UnknownMachine[] {
    const all = [...this.#settled.values(), ...[...this.#newcomers.values()].slice(-NEWCOMERS_SHOWN)];
    return all.toSorted((one, other) => other.lastSeenMs - one.lastSeenMs);
  }
}

/** A DISCOVER that follows names no address. */
function addressIn(known: UnknownMachine | undefined): Pick<Sighting, 'address'> {
  return known?.address === undefined ? {} : { address: known.address };
}

/** Text from unknown senders is shortened. It is shown to people with control characters escaped. */
function bounded(sighting: Sighting): Sighting {
  const { client, vendorClass } = sighting;
  return { ...sighting, client: client.slice(0, TEXT_MAX), vendorClass: vendorClass.slice(0, TEXT_MAX) };
}
