/**
 * A server that keeps its objects in a cluster creates and runs workflows while the API server of that
 * cluster is killed and restarted. At the end, the stored state is compared with what was
 * acknowledged.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { violationsIn, type Violation } from '../crash/checker.ts';
import { newPlace, startWell, urlOf, type WellServer } from '../crash/faulty-server.ts';
import { pause } from '../crash/simulated-agent.ts';
import { readWorkflows } from '../crash/workload.ts';
import { restOf, startWorld, type Random } from '../crash/world.ts';
import { SeededChoice } from '../seeded-choice.ts';
import type { ApiServer } from './api-server.ts';

export interface RestartsOptions {
  readonly api: ApiServer;
  /** The kubeconfig of the server (default: the administrator's). */
  readonly kubeconfig?: string;
  readonly restarts: number;
  readonly seed: number;
  /** Called after each restart. */
  readonly onRestart?: (done: number) => Promise<void>;
}

export interface RestartsReport {
  readonly workflows: number;
  readonly succeeded: number;
  readonly starts: number;
  readonly repeatedStarts: number;
  readonly violations: readonly Violation[];
  /** The value in `/metrics` at the end. */
  readonly watchRestarts: number;
}

/** The longest time until work continues after a restart. */
const MOVE_MS_MAX = 60_000;

export async function runRestarts(options: RestartsOptions): Promise<RestartsReport> {
  const { api, restarts, seed, onRestart } = options;
  const choice = new SeededChoice(seed);
  const random: Random = (below) => choice.below(Math.max(1, below));
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tinkerbell-cluster-'));
  const flags = ['--store=kubernetes', `--kubeconfig=${options.kubeconfig ?? api.kubeconfig}`];
  const place = { ...(await newPlace(dataDirectory)), flags };
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const server = cleanup.use(await startWell(place));
  const world = startWorld(place, random);
  cleanup.defer(() => world.stop());
  for (let done = 0; done < restarts; done += 1) {
    await pause(random(1_500));
    await api.kill();
    await pause(random(1_000));
    await api.start();
    await workGoesOn(world, server);
    await onRestart?.(done + 1);
  }
  await world.stopCreating();
  await restOf(place);
  await world.stop();
  // Agents have continued until now.
  const workflows = await readWorkflows(urlOf(place));
  await untilInTouch(urlOf(place));
  const { created, journal } = world;
  const starts = journal.filter(({ event }) => event === 'started');
  return {
    workflows: workflows.size,
    succeeded: [...workflows.values()].filter(({ state }) => state === 'SUCCESS').length,
    starts: starts.length,
    repeatedStarts: starts.length - new Set(starts.map((one) => `${one.workflow} ${one.action}`)).size,
    violations: violationsIn({ created, agents: journal, workflows }),
    watchRestarts: await metric(urlOf(place), 'tinkerbell_cluster_watch_restarts_total'),
  };
}

/**
 * Starts and reports an action that was assigned after the restart. @throws Error with the server's log when
 * there is none.
 */
async function workGoesOn({ journal }: ReturnType<typeof startWorld>, server: WellServer): Promise<void> {
  const from = journal.length;
  const limit = AbortSignal.timeout(MOVE_MS_MAX);
  const hasMoved = (): boolean =>
    journal.slice(from).some(({ event, state }) => event === 'report-acknowledged' && state === 'SUCCESS');
  while (!hasMoved()) {
    if (limit.aborted)
      throw new Error(`no work within ${MOVE_MS_MAX} ms of a restart:\n${server.said().join('\n')}`);
    await pause(50);
  }
}

/** Watches of collections without writes are opened again within five seconds. */
async function untilInTouch(url: string): Promise<void> {
  while ((await metric(url, 'tinkerbell_cluster_in_touch')) !== 1) await pause(100);
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}
