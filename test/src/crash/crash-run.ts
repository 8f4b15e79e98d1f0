/**
 * Workflows are created and run while the server meets one fault after the other. Then the faults end, and
 * the stored state is compared with what was acknowledged.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededChoice } from '../seeded-choice.ts';
import { violationsIn, type Violation } from './checker.ts';
import { liveThrough, newPlace, startWell, type Fault } from './faulty-server.ts';
import { restOf, startWorld, type Random } from './world.ts';

export interface CrashOptions {
  readonly cycles: number;
  readonly seed: number;
  readonly onCycle?: (done: number, fault: Fault) => void;
}

export interface CrashReport {
  readonly cycles: number;
  readonly seed: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly workflows: number;
  readonly succeeded: number;
  readonly starts: number;
  /** The number of starts of actions that had been started before. */
  readonly repeatedStarts: number;
  readonly reportsAcknowledged: number;
  readonly violations: readonly Violation[];
}

export async function runCrashes({ cycles, seed, onCycle }: CrashOptions): Promise<CrashReport> {
  const choice = new SeededChoice(seed);
  /** The timing differs between runs. A seed repeats only the faults. */
  const random: Random = (below) => choice.below(Math.max(1, below));
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tinkerbell-crash-'));
  const place = await newPlace(dataDirectory);
  const world = startWorld(place, random);
  const faults: Record<string, number> = {};
  try {
    for (let done = 0; done < cycles; done += 1) {
      const fault = faultOf(random);
      await liveThrough(place, fault);
      faults[fault.kind] = (faults[fault.kind] ?? 0) + 1;
      onCycle?.(done + 1, fault);
    }
    await using _peace = await startWell(place);
    await world.stopCreating();
    const workflows = await restOf(place);
    await world.stop();
    const { created, journal } = world;
    const starts = journal.filter(({ event }) => event === 'started');
    return {
      cycles,
      seed,
      faults,
      workflows: workflows.size,
      succeeded: [...workflows.values()].filter(({ state }) => state === 'SUCCESS').length,
      starts: starts.length,
      repeatedStarts: starts.length - new Set(starts.map((one) => `${one.workflow} ${one.action}`)).size,
      reportsAcknowledged: journal.filter(({ event }) => event === 'report-acknowledged').length,
      violations: violationsIn({ created, agents: journal, workflows }),
    };
  } finally {
    await world.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function faultOf(random: Random): Fault {
  const afterMs = random(700);
  switch (random(8)) {
    case 0:
      return { kind: 'killed', since: 'start', afterMs: 50 + random(600) };
    case 1:
      return { kind: 'killed-in-call', call: 'fdatasync', number: 1 + random(30) };
    case 2:
      return { kind: 'killed-in-call', call: 'pwrite64', number: 1 + random(120) };
    case 3:
      return { kind: 'paused', forMs: random(300), afterMs };
    case 4:
      return { kind: 'clock-skewed', bySeconds: random(172_800) - 86_400, afterMs };
    default:
      return { kind: 'killed', since: 'ready', afterMs };
  }
}
