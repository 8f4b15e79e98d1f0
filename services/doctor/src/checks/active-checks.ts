/**
 * Tries what the server can try for a machine: its address, its BMC and its recorded console, and what the agent of a neighbour and a relay can:
 * the ports of the server and the address. Each machine is checked once at a time from each place, and few machines at once.
 */
import { holderCheck, portCheck, probedAddresses, type Check, type TriedChecks } from '@tinkerbell/diagnosis';
import {
  messageOf,
  setLatest,
  type AddressProbe,
  type Clock,
  type ServerPort,
} from '@tinkerbell/platform-contract';
import type { BmcMachine, Hardware } from '@tinkerbell/resources';
import type { JournalRecord, View } from '@tinkerbell/store-contract';
import { keyOf } from '../observe.ts';
import type { TrialPlace } from './trial-place.ts';

/** A host in the same network answers within milliseconds. */
const PROBE_MS = 1_000;
const LINES_SHOWN = 5;
/** A BMC that does not answer takes as long as its time limit. */
const AT_ONCE_MAX = 8;
/** Places whose last results are kept for a machine. */
const PLACES_MAX = 4;
/** Never the name of a Hardware. */
const SERVER = '';

export interface BmcReading {
  readonly power: string;
  /** What the next boot uses, for a person. Absent: it could not be read. */
  readonly bootDevice?: string;
}

export interface ActiveCheckDeps {
  readonly view: View;
  readonly clock: Clock;
  readonly probe: AddressProbe;
  /** Rejects with the reason for an operator. */
  readonly readBmc: (machine: BmcMachine) => Promise<BmcReading>;
}

/** The server as machines reach it. */
export interface ServerPlace {
  /** IPv4 address. */
  readonly serverAddress: string;
  readonly ports: readonly ServerPort[];
}

/** Reads what the machine has printed since its last boot began. */
type Printed = () => Promise<readonly Pick<JournalRecord, 'message'>[]>;

export class ActiveChecks {
  readonly #deps: ActiveCheckDeps;
  readonly #server: ServerPlace;
  /** By machine and place. */
  readonly #running = new Map<string, Promise<readonly Check[]>>();
  /** By machine, then by place. */
  readonly #tried = new Map<string, Map<string, TriedChecks>>();

  constructor(deps: ActiveCheckDeps, server: ServerPlace) {
    this.#deps = deps;
    this.#server = server;
  }

  get isFull(): boolean {
    return this.#running.size >= AT_ONCE_MAX;
  }

  /** Returns what was last tried from each place. */
  of(machine: string): readonly TriedChecks[] {
    return [...(this.#tried.get(machine)?.values() ?? [])];
  }

  forget(machine: string): void {
    this.#tried.delete(machine);
  }

  /** Joins the same checks of the machine if they are running. Returns undefined if too many others are. */
  run(hardware: Hardware, printed: Printed): Promise<readonly Check[]> | undefined {
    return this.#start(hardware, SERVER, () => this.#checks(hardware, printed));
  }

  /** As `run`, from a neighbour or a relay. */
  runFrom(hardware: Hardware, place: TrialPlace): Promise<readonly Check[]> | undefined {
    return this.#start(hardware, place.key, () => this.#fromElsewhere(hardware, place));
  }

  #start(
    hardware: Hardware,
    place: string,
    check: () => Promise<readonly Check[]>,
  ): Promise<readonly Check[]> | undefined {
    const key = `${keyOf(hardware)} ${place}`;
    const running = this.#running.get(key);
    if (running !== undefined || this.isFull) return running;
    const started = check()
      .then((checks) => {
        this.#keep(keyOf(hardware), place, { atMs: this.#deps.clock.nowMs(), checks });
        return checks;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  #keep(machine: string, place: string, tried: TriedChecks): void {
    const places = this.#tried.get(machine) ?? new Map<string, TriedChecks>();
    this.#tried.set(machine, places);
    setLatest(places, [place, tried], PLACES_MAX);
  }

  async #fromElsewhere(hardware: Hardware, place: TrialPlace): Promise<readonly Check[]> {
    const { serverAddress: host, ports: all } = this.#server;
    const { who, subject, asksDhcp } = place;
    const addresses = probedAddresses(hardware);
    const ports = asksDhcp ? all : all.filter(({ asks }) => asks !== 'dhcp');
    const result = await place.run({ host, ports, addresses });
    if (result === undefined)
      return [{ check: 'ports', state: 'note', message: `nothing was tried: ${subject} did not answer` }];
    return [
      ...result.ports.map((tried) => portCheck(tried, { host, who })),
      ...addresses.map((address) =>
        holderCheck(address, { holder: result.holders.get(address), hardware, who }),
      ),
    ];
  }

  async #checks(hardware: Hardware, printed: Printed): Promise<readonly Check[]> {
    const all = await Promise.all([
      this.#addresses(hardware),
      this.#bmc(hardware),
      printed().then(consoleChecks),
    ]);
    return all.flat();
  }

  #addresses(hardware: Hardware): Promise<readonly Check[]> {
    return Promise.all(
      probedAddresses(hardware).map(async (address) => {
        const holder = await this.#deps.probe.holderOf(address, PROBE_MS);
        return holderCheck(address, { holder, hardware });
      }),
    );
  }

  async #bmc({ metadata: { namespace }, spec }: Hardware): Promise<readonly Check[]> {
    const name = spec?.bmcRef?.name ?? '';
    if (name === '') return [{ check: 'bmc', state: 'note', message: 'the Hardware names no BMC' }];
    const machine = this.#deps.view.bmcMachineNamed(namespace, name);
    if (machine === undefined) {
      const message = `there is no Machine ${namespace}/${name}, which spec.bmcRef of the Hardware names`;
      return [{ check: 'bmc', state: 'failed', message }];
    }
    try {
      return bmcChecks(await this.#deps.readBmc(machine));
    } catch (thrown) {
      return [{ check: 'bmc', state: 'failed', message: messageOf(thrown) }];
    }
  }
}

function bmcChecks({ power, bootDevice }: BmcReading): readonly Check[] {
  const isOn = power !== 'off';
  return [
    { check: 'bmc', state: isOn ? 'ok' : 'warning', message: `the power is ${power}` },
    {
      check: 'bmc',
      state: 'note',
      message:
        bootDevice === undefined ? 'its boot device could not be read' : `the next boot uses ${bootDevice}`,
    },
  ];
}

function consoleChecks(lines: readonly Pick<JournalRecord, 'message'>[]): readonly Check[] {
  if (lines.length === 0)
    return [{ check: 'console', state: 'note', message: 'nothing is recorded of this boot' }];
  return lines.slice(-LINES_SHOWN).map(({ message }) => ({ check: 'console', state: 'note', message }));
}
