/**
 * Workflows are created and run while the server meets one fault after the other; at the end it is left in peace, and what it
 * remembers is held against what others were told.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionStatusRequest } from '@tinkerbell/api/agent';
import { SeededChoice } from '../seeded-choice.ts';
import { violationsIn, type Violation } from './checker.ts';
import {
  grpcAddressOf,
  liveThrough,
  newPlace,
  startWell,
  urlOf,
  type Fault,
  type ServerPlace,
} from './faulty-server.ts';
import { reportHostilely } from './hostile-reporter.ts';
import type { AgentEntry } from './journals.ts';
import { pause, SimulatedAgent } from './simulated-agent.ts';
import { createUntilAcknowledged, readWorkflows, template, workflow } from './workload.ts';

const AGENTS = Array.from({ length: 8 }, (_, index) => `agent-${index}`);
const CREATE_EVERY_MS = 60;
const PEACE_LIMIT_MS = 60_000;

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
  /** Starts of actions that had been started before. */
  readonly repeatedStarts: number;
  readonly reportsAcknowledged: number;
  readonly violations: readonly Violation[];
}

export async function runCrashes({ cycles, seed, onCycle }: CrashOptions): Promise<CrashReport> {
  const choice = new SeededChoice(seed);
  /** What meets what in time is another matter: a seed repeats the faults alone. */
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

type Random = (below: number) => number;

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

/** Who creates, who works, who disturbs; all until they are told to stop. */
function startWorld(place: ServerPlace, random: Random) {
  const [creating, disturbing] = [new AbortController(), new AbortController()];
  const created = new Set<string>();
  const journal: AgentEntry[] = [];
  const sent: ActionStatusRequest[] = [];
  const server = grpcAddressOf(place);
  const agents = AGENTS.map((id) => new SimulatedAgent({ id, server, journal, sent, random }));
  const creation = create(place, { random, created, signal: creating.signal });
  const work = Promise.all([
    ...agents.map((agent) => agent.run()),
    reportHostilely({ server, sent, random, signal: disturbing.signal }),
  ]);
  return {
    created,
    journal,
    async stopCreating() {
      creating.abort();
      await creation;
    },
    async stop() {
      creating.abort();
      disturbing.abort();
      for (const agent of agents) agent.stop();
      await Promise.all([creation, work]);
    },
  };
}

async function create(
  place: ServerPlace,
  { random, created, signal }: { random: Random; created: Set<string>; signal: AbortSignal },
): Promise<void> {
  const url = urlOf(place);
  await createUntilAcknowledged(url, template(), signal);
  const anAgent = () => AGENTS[random(AGENTS.length)] ?? '';
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `w${number}`;
    if (await createUntilAcknowledged(url, workflow(name, [anAgent(), anAgent()]), signal))
      created.add(`default/${name}`);
    await pause(random(2 * CREATE_EVERY_MS));
  }
}

/** The workflows when all have ended, or when that takes too long. */
async function restOf(place: ServerPlace) {
  const startedMs = performance.now();
  for (;;) {
    const workflows = await readWorkflows(urlOf(place));
    const haveEnded = [...workflows.values()].every(({ state }) =>
      ['SUCCESS', 'FAILED', 'TIMEOUT'].includes(state),
    );
    if (haveEnded || performance.now() - startedMs > PEACE_LIMIT_MS) return workflows;
    await pause(200);
  }
}
