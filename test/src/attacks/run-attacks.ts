/** Performs acts of all classes against one server, several at once, and evaluates the effect on it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';
import { WARM_UP_SECONDS, type GoodDhcpReport } from './good-dhcp.ts';
import type { ThreadTimes } from './host-stops.ts';
import { serverLoad, type ServerLoad } from './server-load.ts';
import type { MonitorLine } from './server-monitor.ts';
import { startTarget, type StartedTarget } from './start-target.ts';
import { followThread } from './thread-trace.ts';

export interface AttackRun {
  readonly attacks: readonly Attack[];
  readonly seed: number;
  readonly minutes: number;
  /** The number of acts at one time. */
  readonly concurrency: number;
  readonly growthMaxMegabytes: number;
  /** Processor ms. A turn serves all clients that sent at the same time, and a callback serves one. */
  readonly callbackMaxMs: number;
  readonly turnMaxMs: number;
  /** How long a good DHCP client may wait, ms. */
  readonly dhcpMaxMs: number;
  /** Finds what runs in long callbacks. The run then takes more time and memory than its limits allow. */
  readonly isProfiled: boolean;
  readonly onProgress: (line: string) => void;
}

export interface AttackReport extends ServerLoad {
  readonly seed: number;
  readonly minutes: number;
  /** Acts by class. */
  readonly acts: Readonly<Record<string, number>>;
  /** Acts by what they send: packet, request, … */
  readonly sent: Readonly<Record<string, number>>;
  /** False where the kernel does not say when the host stopped a processor. The host's stops then count as work. */
  readonly knowsStops: boolean;
  readonly goodDhcp: GoodDhcpReport;
  readonly failures: readonly string[];
}

const FAILURES_KEPT = 50;
/** Counted for an act that runs until its time is known. */
const CHOSEN_MS = 1000;
/** Niceness. On Linux each thread has its own, and new ones inherit it. */
const ATTACKER_PRIORITY = 15;
const PROGRESS_MS = 10_000;
const ANSWERS_MIN = 0.999;

export async function runAttacks(run: AttackRun): Promise<AttackReport> {
  const folder = mkdtempSync(join(tmpdir(), 'attacks-'));
  try {
    await using started = await startTarget(folder, run.isProfiled);
    const dhcp = startGoodDhcp();
    const followed = await followThread(started.server.pid);
    const acts = await commitActs(run, started);
    const goodDhcp = await dhcp.end();
    return reportOf(run, { started, goodDhcp, times: await followed.end(), ...acts });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Acts {
  readonly acts: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
}

async function commitActs(run: AttackRun, { target, server }: StartedTarget): Promise<Acts> {
  const endMs = performance.now() + run.minutes * 60_000;
  const acts = new Map<string, number>();
  const failures: string[] = [];
  const usedMs = new Map<string, number>();
  let number = 0;
  // Attackers are on other machines, so they must not use the server's processors.
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), ATTACKER_PRIORITY);
  const attacker = async (): Promise<void> => {
    while (performance.now() < endMs && failures.length < FAILURES_KEPT) {
      const attack = leastUsed(run.attacks, usedMs);
      if (attack === undefined) return;
      const seed = run.seed + number++;
      const startedMs = performance.now();
      // At once, so that the next attacker chooses another class.
      usedMs.set(attack.name, (usedMs.get(attack.name) ?? 0) + CHOSEN_MS);
      try {
        await attack.once(target, new SeededChoice(seed));
      } catch (error) {
        failures.push(`${attack.name}, --seed ${seed}: ${textOf(error)}`);
      }
      usedMs.set(attack.name, (usedMs.get(attack.name) ?? 0) + performance.now() - startedMs - CHOSEN_MS);
      acts.set(attack.name, (acts.get(attack.name) ?? 0) + 1);
    }
  };
  const progress = setInterval(() => {
    const total = [...acts.values()].reduce((sum, count) => sum + count, 0);
    run.onProgress(
      `${total} acts, ${failures.length} failures, ${Math.round((endMs - performance.now()) / 1000)} s left`,
    );
  }, PROGRESS_MS);
  await Promise.all(Array.from({ length: run.concurrency }, attacker));
  clearInterval(progress);
  if (!(await isAlive(server.url)))
    failures.push(`the server has ended:\n${server.said().slice(-20).join('\n')}`);
  return { acts, failures };
}

/** Classes share the time, not the number of acts, because some acts take seconds. */
function leastUsed(attacks: readonly Attack[], usedMs: ReadonlyMap<string, number>): Attack | undefined {
  const used = (attack: Attack): number => usedMs.get(attack.name) ?? 0;
  return attacks.toSorted((one, other) => used(one) - used(other))[0];
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function isAlive(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(10_000) }).then(
    (response) => response.ok,
    () => false,
  );
}

function startGoodDhcp() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'good-dhcp.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  return {
    async end(): Promise<GoodDhcpReport> {
      child.stdin.end();
      await closed;
      return JSON.parse(text) as GoodDhcpReport;
    },
  };
}

interface Seen extends Acts {
  readonly started: StartedTarget;
  readonly goodDhcp: GoodDhcpReport;
  readonly times: ThreadTimes | undefined;
}

function reportOf(run: AttackRun, { started, goodDhcp, acts, times, failures }: Seen): AttackReport {
  const sent: Record<string, number> = {};
  for (const { name, sends } of run.attacks) sent[sends] = (sent[sends] ?? 0) + (acts.get(name) ?? 0);
  const load = serverLoad(monitored(started.monitorFile), {
    times: times ?? { stops: [], absences: [] },
    firstAt: WARM_UP_SECONDS,
    callbackMaxMs: run.callbackMaxMs,
  });
  return {
    seed: run.seed,
    minutes: run.minutes,
    acts: Object.fromEntries(acts),
    sent,
    knowsStops: times !== undefined,
    ...load,
    goodDhcp,
    failures: [...failures, ...started.faults, ...exceeded(run, { ...load, goodDhcp })],
  };
}

type Measured = Pick<AttackReport, 'turn' | 'longCallbacks' | 'growthMegabytes' | 'goodDhcp'>;

function exceeded(run: AttackRun, { turn, longCallbacks, growthMegabytes, goodDhcp }: Measured): string[] {
  const { sent, answered, slowestMs } = goodDhcp;
  const limits: readonly [isExceeded: boolean, failure: string][] = [
    [longCallbacks > 0, `${longCallbacks} seconds had a callback of more than ${run.callbackMaxMs} ms`],
    [turn.workedMs > run.turnMaxMs, `a turn of the event loop took ${turn.workedMs.toFixed(0)} ms`],
    [growthMegabytes > run.growthMaxMegabytes, `the server grew by ${growthMegabytes} MB`],
    [answered < sent * ANSWERS_MIN, `${sent - answered} of ${sent} good DISCOVERs had no answer`],
    [slowestMs > run.dhcpMaxMs, `a good DHCP client waited ${slowestMs.toFixed(0)} ms`],
  ];
  return limits.filter(([isExceeded]) => isExceeded).map(([, failure]) => failure);
}

function monitored(file: string): readonly MonitorLine[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.slice(WARM_UP_SECONDS).map((line) => JSON.parse(line) as MonitorLine);
}
