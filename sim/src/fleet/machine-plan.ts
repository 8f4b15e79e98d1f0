/** What a machine of a fleet is called and what happens to it, from the seed. The same seed gives the same fleet. */
import { ipv4FromNumber, ipv4ToNumber } from '@tinkerbell/wire';
import type { Machine } from '../machine/model.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { FleetOptions } from './fleet-options.ts';

/** Where a machine may lose power. */
export const CRASH_PHASES = [
  'firmware-dhcp',
  'firmware-tftp',
  'loader-dhcp',
  'loader-script',
  'agent',
] as const satisfies readonly Machine['phase'][];

export interface MachineCrash {
  readonly phase: (typeof CRASH_PHASES)[number];
  /** From the start of the phase, ms. */
  readonly afterMs: number;
  /** Until it is switched on again, ms. */
  readonly offMs: number;
}

export interface MachinePlan {
  readonly name: string;
  readonly mac: string;
  readonly address: string;
  /** Absent: it does not crash. */
  readonly crash: MachineCrash | undefined;
  /** For whatever else is random about it. */
  readonly random: SeededRandom;
}

type Drawn = Pick<FleetOptions, 'seed' | 'relayAddress' | 'crashes'>;

/** Firmware and iPXE are through a phase in milliseconds. The in-memory OS takes seconds to start its agent. */
const CRASH_AFTER_MS = { boot: 200, agent: 12_000 };
const OFF_MS = { min: 1000, max: 20_000 };

/** `index` counts from 0. */
export function machinePlan(index: number, { seed, relayAddress, crashes }: Drawn): MachinePlan {
  const random = new SeededRandom(seed).fork(index + 1);
  const willCrash = random.happens(crashes);
  const phase = CRASH_PHASES[Math.floor(random.fraction() * CRASH_PHASES.length)] ?? 'agent';
  const longest = phase === 'agent' ? CRASH_AFTER_MS.agent : CRASH_AFTER_MS.boot;
  const crash = { phase, afterMs: random.between(0, longest), offMs: random.between(OFF_MS.min, OFF_MS.max) };
  return {
    name: `${runName(seed)}-${index}`,
    mac: macOf(seed, index),
    address: ipv4FromNumber(ipv4ToNumber(relayAddress) + index + 1),
    crash: willCrash ? crash : undefined,
    random,
  };
}

/** The beginning of all names of a run, and the value of its label. */
export function runName(seed: number): string {
  return `sim-${seed}`;
}

/** Locally administered: two bytes are of the seed, three of the machine. */
function macOf(seed: number, index: number): string {
  const hex = (seed % 0x1_0000).toString(16).padStart(4, '0') + index.toString(16).padStart(6, '0');
  return `02:${hex.replaceAll(/(..)(?!$)/g, '$1:')}`;
}
