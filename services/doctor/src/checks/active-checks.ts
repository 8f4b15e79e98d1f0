/**
 * Tries what the server can try for a machine: its address, its BMC and its recorded console. Each machine is checked once at a time, and few
 * machines at once.
 */
import { holderCheck, probedAddresses, type Check, type TriedChecks } from '@tinkerbell/diagnosis';
import { messageOf, type AddressProbe, type Clock } from '@tinkerbell/platform-contract';
import type { BmcMachine, Hardware } from '@tinkerbell/resources';
import type { JournalRecord, View } from '@tinkerbell/store-contract';
import { keyOf } from '../observe.ts';

/** A host in the same network answers within milliseconds. */
const PROBE_MS = 1_000;
const LINES_SHOWN = 5;
/** A BMC that does not answer takes as long as its time limit. */
const AT_ONCE_MAX = 8;

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

/** Reads what the machine has printed since its last boot began. */
type Printed = () => Promise<readonly Pick<JournalRecord, 'message'>[]>;

export class ActiveChecks {
  readonly #deps: ActiveCheckDeps;
  readonly #running = new Map<string, Promise<readonly Check[]>>();
  readonly #tried = new Map<string, TriedChecks>();

  constructor(deps: ActiveCheckDeps) {
    this.#deps = deps;
  }

  get isFull(): boolean {
    return this.#running.size >= AT_ONCE_MAX;
  }

  /** Returns what was last tried. */
  of(machine: string): TriedChecks | undefined {
    return this.#tried.get(machine);
  }

  forget(machine: string): void {
    this.#tried.delete(machine);
  }

  /** Joins the checks of the machine that are running. Returns undefined if too many others are. */
  run(hardware: Hardware, printed: Printed): Promise<readonly Check[]> | undefined {
    const key = keyOf(hardware);
    const running = this.#running.get(key);
    if (running !== undefined || this.isFull) return running;
    const started = this.#checks(hardware, printed)
      .then((checks) => {
        this.#tried.set(key, { atMs: this.#deps.clock.nowMs(), checks });
        return checks;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
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
