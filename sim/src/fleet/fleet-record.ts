/** What happened to a fleet so far: machines by phase, durations of steps, failures, and what did not hold. */
import type { Machine } from '../machine/model.ts';
import type { FleetWatcher } from './fleet-world.ts';
import type { MachinePlan } from './machine-plan.ts';

/** In the order of a boot. */
export const STEPS = [
  'firmware-dhcp',
  'firmware-tftp',
  'loader-dhcp',
  'loader-script',
  'images',
  'agent',
  'report',
  'whole boot',
] as const;
export type Step = (typeof STEPS)[number];

export interface FailedMachine {
  readonly name: string;
  readonly mac: string;
  /** A phase of the machine, or `workflow`. */
  readonly step: string;
  readonly reason: string;
  /** The state of its Workflow at the end. Absent: nobody asked. */
  readonly workflow?: string;
}

/** Of the messages about what did not hold. All are counted. */
const BROKEN_KEPT_MAX = 20;

export class FleetRecord implements FleetWatcher {
  readonly failed: FailedMachine[] = [];
  readonly broken: string[] = [];
  readonly #durationsMs = new Map<Step, number[]>(STEPS.map((step) => [step, []]));
  readonly #inPhase = new Map<Machine['phase'], number>();
  readonly #owners = new Map<string, string>();
  readonly #acknowledged = new Set<string>();
  crashes = 0;
  /** Results that the server acknowledged. */
  results = 0;
  atDisk = 0;

  entered({ phase }: Machine, before: Machine['phase'], stayedMs: number): void {
    this.#count(before, -1);
    this.#count(phase, 1);
    const step = STEPS.find((one) => one === before);
    if (step !== undefined) this.measured(step, stayedMs);
  }

  crashed(): void {
    this.crashes += 1;
  }

  measured(step: Step, tookMs: number): void {
    this.#durationsMs.get(step)?.push(tookMs);
  }

  addressed(address: string, mac: string): void {
    const other = this.#owners.get(address);
    if (other !== undefined && other !== mac) this.#broke(`${address} was given to ${other} and to ${mac}`);
    this.#owners.set(address, mac);
  }

  given({ name }: MachinePlan, action: string): void {
    if (this.#acknowledged.has(`${name} ${action}`))
      this.#broke(`an action of ${name} was given again after the server had acknowledged its end`);
  }

  acknowledged({ name }: MachinePlan, action: string): void {
    this.results += 1;
    this.#acknowledged.add(`${name} ${action}`);
  }

  fail({ name, mac }: MachinePlan, step: string, reason: string): void {
    this.failed.push({ name, mac, step, reason });
  }

  #broke(text: string): void {
    if (this.broken.length < BROKEN_KEPT_MAX) this.broken.push(text);
  }

  /** Machines that are switched on, by phase. */
  inPhase(phase: Machine['phase']): number {
    return this.#inPhase.get(phase) ?? 0;
  }

  durationsMs(step: Step): readonly number[] {
    return this.#durationsMs.get(step) ?? [];
  }

  #count(phase: Machine['phase'], change: number): void {
    this.#inPhase.set(phase, (this.#inPhase.get(phase) ?? 0) + change);
  }
}
