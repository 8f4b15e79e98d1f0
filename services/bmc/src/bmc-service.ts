/**
 * Controls BMCs (upstream Rufio): checks Machines, and runs Jobs and their Tasks. A wake-up has no payload and may be duplicated or
 * lost: the reconcilers read the current state, and a periodic scan finds missed changes.
 */
import { CERTIFICATE_ANNOTATION, hasEnded, MEDIA_ANNOTATION } from '@tinkerbell/bmc';
import { WorkQueue } from '@tinkerbell/engine-work-queue';
import { inSlices, repeat, type Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import type { BmcMachine, Resource } from '@tinkerbell/resources';
import type { Change, NamespacedName } from '@tinkerbell/store-contract';
import { jobCollection, machineCollection, taskCollection } from './collections.ts';
import type { BmcServiceConfig, BmcServiceDeps, Reconciling } from './config.ts';
import { REFRESH } from './inventory.ts';
import { reconcileJob } from './job-reconciler.ts';
import { MachineReconciler } from './machine-reconciler.ts';
import { createBmcMetrics } from './metrics.ts';
import { ROTATE } from './rotate-password.ts';
import { TaskReconciler } from './task-reconciler.ts';

/** How long a lost wake-up can go unnoticed. */
const SCAN_EVERY_MS = 30_000;

export function createBmcService(deps: BmcServiceDeps, config: BmcServiceConfig): Service {
  const set = new MetricSet();
  const metrics = createBmcMetrics(set);
  const controller = new BmcController({ ...deps, config, metrics });
  metrics.machines.from(() => controller.powerCounts());
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  return {
    name: 'bmc',
    routes: [],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    start(signal) {
      controller.start(signal);
      signal.addEventListener('abort', () => void controller.close().then(resolve));
      return Promise.resolve();
    },
  };
}

class BmcController {
  readonly #deps: Reconciling;
  readonly #queues: Readonly<Record<'machines' | 'jobs' | 'tasks', WorkQueue>>;
  /** What of each Machine was last checked, so that the status that a check writes leads to no other check. */
  readonly #checked = new Map<string, string>();
  #unfollow = (): void => undefined;

  constructor(deps: Reconciling) {
    this.#deps = deps;
    const { atOnce } = deps.config;
    const [machines, tasks] = [new MachineReconciler(deps), new TaskReconciler(deps)];
    const queue = { ...deps, metrics: deps.metrics, atOnce };
    this.#queues = {
      machines: new WorkQueue({ ...queue, kind: 'bmcMachine' }, (key) => machines.reconcile(placeOf(key))),
      jobs: new WorkQueue({ ...queue, kind: 'bmcJob' }, (key) => reconcileJob(deps, placeOf(key))),
      tasks: new WorkQueue({ ...queue, kind: 'bmcTask' }, (key) => tasks.reconcile(placeOf(key))),
    };
  }

  start(signal: AbortSignal): void {
    const { view, clock } = this.#deps;
    this.#unfollow = view.onChange((change) => this.#take(change));
    void this.#scan(signal);
    repeat(clock, { everyMs: SCAN_EVERY_MS, signal }, () => this.#scan(signal));
  }

  async close(): Promise<void> {
    this.#unfollow();
    await this.#deps.connections.close();
    await Promise.all(Object.values(this.#queues).map((queue) => queue.close()));
  }

  *powerCounts(): Iterable<readonly [{ power: string }, number]> {
    const counts = { on: 0, off: 0, unknown: 0 };
    for (const { status } of machineCollection.all(this.#deps.view))
      counts[status?.powerState ?? 'unknown'] += 1;
    for (const [power, count] of Object.entries(counts)) yield [{ power }, count];
  }

  #take(change: Change): void {
    const path = pathOf(change.object);
    if (machineCollection.holds(change)) return this.#takeMachine(path, change);
    if (jobCollection.holds(change)) {
      if (change.type === 'deleted') return;
      this.#queues.jobs.add(path);
      if (hasEnded(change.object.status)) this.#checkAfter(change.object.spec?.machineRef);
    }
    if (!taskCollection.holds(change)) return;
    this.#queues.tasks.add(path);
    for (const { kind, name } of change.object.metadata.ownerReferences ?? [])
      if (kind === 'Job') this.#queues.jobs.add(`${change.key.namespace}/${name}`);
  }

  #takeMachine(path: string, { type, object }: Change<BmcMachine>): void {
    if (type !== 'deleted') return this.#addMachine(path, object);
    this.#checked.delete(path);
    // Ends what this server does for it.
    this.#queues.machines.add(path);
  }

  #addMachine(path: string, machine: BmcMachine): void {
    const { uid = '', annotations } = machine.metadata;
    const version = JSON.stringify([
      uid,
      machine.spec,
      annotations?.[REFRESH],
      annotations?.[ROTATE],
      annotations?.[CERTIFICATE_ANNOTATION],
      annotations?.[MEDIA_ANNOTATION],
    ]);
    if (this.#checked.get(path) === version) return;
    this.#checked.set(path, version);
    this.#queues.machines.add(path);
  }

  /** A Job may have changed the power. */
  #checkAfter(machine: NamespacedName | undefined): void {
    if (machine !== undefined) this.#queues.machines.add(`${machine.namespace}/${machine.name}`);
  }

  async #scan(signal: AbortSignal): Promise<void> {
    const { view, clock } = this.#deps;
    const pace = { clock, signal };
    await inSlices(machineCollection.all(view), pace, ({ metadata: { namespace, name } }) => {
      const machine = view.bmcMachineNamed(namespace, name);
      if (machine !== undefined) this.#addMachine(`${namespace}/${name}`, machine);
    });
    await inSlices(jobCollection.all(view), pace, (job) => {
      if (!hasEnded(job.status)) this.#queues.jobs.add(pathOf(job));
    });
    await inSlices(taskCollection.all(view), pace, (task) => {
      if (!hasEnded(task.status)) this.#queues.tasks.add(pathOf(task));
    });
  }
}

function pathOf({ metadata }: Resource): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function placeOf(path: string): NamespacedName {
  const [namespace = '', name = ''] = path.split('/');
  return { namespace, name };
}
