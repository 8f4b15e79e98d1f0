/** Collects what is known about a machine. */
import {
  bootsIn,
  modelOf,
  nearMacs,
  type NearMachine,
  type Observation,
  type TimelineRecord,
  type TriedChecks,
  type UsualDurations,
} from '@tinkerbell/diagnosis';
import { setLatest } from '@tinkerbell/platform-contract';
import { macsOf, type Hardware } from '@tinkerbell/resources';
import { CONSOLE_OUTPUT, type Journal, type JournalRecord, type View } from '@tinkerbell/store-contract';
import type { Timelines } from './timelines.ts';

export function keyOf({ metadata }: Hardware): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Unregistered machines and relays. A flood of forged MACs must not fill the memory. */
const STRANGERS_MAX = 1_000;
const RELAYS_MAX = 1_000;

/** What the records of all machines show together. */
export class Network {
  /** The last record of each machine without Hardware that asks to boot, by MAC, in order of time. */
  readonly #strangers = new Map<string, JournalRecord>();
  readonly #relays = new Set<string>();
  readonly #view: View;

  constructor(view: View) {
    this.#view = view;
  }

  /** Returns the Hardware whose MAC is similar to that of a machine without one. */
  take(record: JournalRecord): readonly Hardware[] {
    const relay = record.details?.['relay'];
    if (typeof relay === 'string' && this.#relays.size < RELAYS_MAX) this.#relays.add(relay);
    if (record.machine === undefined || !isOfStranger(record)) return [];
    setLatest(this.#strangers, [record.machine, record], STRANGERS_MAX);
    return nearMacs(record.machine).flatMap((mac) => this.#view.hardwareByMac(mac));
  }

  get relays(): readonly string[] {
    return [...this.#relays];
  }

  near(macs: readonly string[]): readonly NearMachine[] {
    if (this.#strangers.size === 0) return [];
    return macs.flatMap(nearMacs).flatMap((mac) => {
      const record = this.#strangers.get(mac);
      return record === undefined || this.#view.hardwareByMac(mac).length > 0 ? [] : [{ mac, record }];
    });
  }
}

/** Firmware that has asked again. A BMC often has the MAC next to that of its machine, and so has a second port. */
function isOfStranger({ event, details }: JournalRecord): boolean {
  return event === 'machine-unknown' && !String(details?.['client']).startsWith('BMC');
}

export interface Observing {
  readonly view: View;
  readonly timelines: Timelines;
  readonly network: Network;
  readonly usual: UsualDurations;
  readonly serverAddress: string;
  readonly down?: Observation['down'];
  /** What was last tried for the machine, from each place. */
  readonly triedOf: (machine: string) => readonly TriedChecks[];
}

export function observationOf(
  { view, timelines, network, usual, serverAddress, down, triedOf }: Observing,
  hardware: Hardware,
  nowMs: number,
): Observation {
  const macs = macsOf(hardware);
  const records = timelines.of(macs);
  const model = modelOf(hardware);
  return {
    nowMs,
    macs,
    records,
    hardware,
    rivals: rivalsOf(view, hardware, macs),
    workflows: workflowsOf(view, hardware, macs),
    near: records.some(isOfMachine) ? [] : network.near(macs),
    network: { serverAddress, relays: network.relays },
    limitMs: (step) => usual.limitMs(model, step),
    tried: triedOf(keyOf(hardware)),
    ...(down === undefined ? {} : { down }),
  };
}

/** False for records about a machine that itself has sent nothing. */
function isOfMachine({ source }: JournalRecord): boolean {
  return source !== 'workflow' && source !== 'bmc' && source !== 'server';
}

/** The Hardware that was first with a MAC owns it. */
function rivalsOf(view: View, hardware: Hardware, macs: readonly string[]): readonly string[] {
  const owners = macs.flatMap((mac) => view.hardwareByMac(mac)).map(keyOf);
  return [...new Set(owners)].filter((owner) => owner !== keyOf(hardware));
}

function workflowsOf(view: View, hardware: Hardware, macs: readonly string[]) {
  const { namespace, name } = hardware.metadata;
  const agents = [hardware.spec?.agentID ?? '', ...macs].filter((agent) => agent !== '');
  return [
    ...new Set([
      ...view.workflowsByHardware(namespace, name),
      ...agents.flatMap((agent) => view.workflowsByAgent(agent)),
    ]),
  ];
}

/** Returns where the last boot began, if the machine loads a kernel or has loaded one. */
export function startOfKernel(records: readonly TimelineRecord[]): number | undefined {
  const boot = bootsIn(records).at(-1) ?? [];
  const isLoading = boot.some(
    ({ event }) => event === 'script-served' || event.startsWith('transfer-') || event.startsWith('iso-'),
  );
  return isLoading ? boot[0]?.sequence : undefined;
}

/** A kernel prints about a thousand lines. What ended it is among the last ones. */
const PRINTED_PAGE = 2_000;
const PRINTED_PAGES_MAX = 5;

/** Reads what the machine printed on its serial console since a record. */
export async function printedSince(
  journal: Journal,
  macs: readonly string[],
  first: number,
): Promise<readonly JournalRecord[]> {
  const lines: JournalRecord[] = [];
  for (let page = 0; page < PRINTED_PAGES_MAX; page += 1) {
    const after = lines.at(-1)?.sequence ?? first;
    const more = await journal.read({ machines: macs, events: [CONSOLE_OUTPUT], after, limit: PRINTED_PAGE });
    lines.push(...more);
    if (more.length < PRINTED_PAGE) break;
  }
  return lines;
}
