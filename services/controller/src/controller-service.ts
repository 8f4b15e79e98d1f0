/**
 * Reconciles every workflow until its effects are done (upstream Tink Controller). A wake-up has no payload and may be
 * duplicated or lost: the reconciler reads the current state, and a periodic scan finds missed changes.
 */
import { inSlices, repeat, type Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { SeenHardware, type Resource, type Workflow } from '@tinkerbell/resources';
import {
  hardwareCollection,
  templateCollection,
  workflowCollection,
  type Change,
  type ObjectKey,
  type View,
  type NamespacedName,
} from '@tinkerbell/store-contract';
import { subjectOf } from '@tinkerbell/engine-workflow-events';
import { effectsFor, workflowStateOf } from '@tinkerbell/workflow';
import type { ApplyDeps } from './apply-event.ts';
import { showAllClaims, showClaims } from './claim-conditions.ts';
import { jobCollection } from './boot-phase.ts';
import { createControllerMetrics } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { Referrers } from './referrers.ts';
import { Rendering, type RenderingDeps } from './rendering.ts';
import { WorkQueue } from '@tinkerbell/engine-work-queue';
import { WorkflowCounts } from './workflow-counts.ts';

/** How long a lost wake-up can go unnoticed. */
const SCAN_EVERY_MS = 30_000;

export type ControllerDeps = ApplyDeps & RenderingDeps;

export function createControllerService(deps: ControllerDeps): Service {
  const set = new MetricSet();
  const metrics = createControllerMetrics(set);
  const rendering = new Rendering(deps);
  const referrers = new Referrers(deps.referenceRules);
  const seen = new SeenHardware();
  const answeringSinceMs = deps.clock.nowMs();
  const queue = new WorkQueue({ ...deps, metrics, kind: 'workflow' }, async (path, place) =>
    reconcile({ ...deps, rendering: rendering.at(place), answeringSinceMs }, keyOf(path)),
  );
  const counts = new WorkflowCounts(metrics);
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();

  function take(change: Change): void {
    const { namespace, name } = change.key;
    counts.take(change);
    if (hardwareCollection.holds(change) && change.type === 'deleted') referrers.remove({ namespace, name });
    else if (hardwareCollection.holds(change) && seen.isNews(change.object)) {
      referrers.put(change.object);
      void showClaims(deps, change.object);
    }
    if (workflowCollection.holds(change)) {
      if (change.type === 'deleted') forget(`${namespace}/${name}`);
      else look(change.object);
    }
    for (const path of wokenBy(deps.view, referrers, change)) queue.add(path);
  }

  /** Adds the workflow only if it has something to do now. Most changes only move its deadline. */
  function look(workflow: Workflow): void {
    const [first] = effectsFor(workflow, deps.clock.nowMs(), answeringSinceMs);
    if (first === undefined || first.kind === 'wake') queue.expect(pathOf(workflow), first);
    else queue.add(pathOf(workflow));
  }

  function forget(path: string): void {
    queue.expect(path, undefined);
    rendering.forget(path);
  }

  /** An object may have changed since the scan began. */
  function indexAgain({ namespace, name }: NamespacedName): void {
    const hardware = deps.view.hardwareNamed(namespace, name);
    if (hardware === undefined) referrers.remove({ namespace, name });
    else referrers.put(hardware);
  }

  /** Finds changes that were missed. References are first, so that no change of an object is missed between them and its workflows. */
  async function scan(signal: AbortSignal): Promise<void> {
    const pace = { clock: deps.clock, signal };
    await inSlices(referrers.all(), pace, indexAgain);
    await inSlices(hardwareCollection.all(deps.view), pace, ({ metadata, spec }) => {
      if (spec?.references !== undefined) indexAgain(metadata);
    });
    await inSlices(workflowCollection.all(deps.view), pace, ({ metadata: { namespace, name } }) => {
      const workflow = deps.view.workflowNamed(namespace, name);
      if (workflow !== undefined) look(workflow);
    });
    await showAllClaims(deps, signal);
  }

  return {
    name: 'controller',
    routes: [],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    start(signal) {
      recordRestart(deps);
      counts.begin(deps.view);
      const unfollow = deps.view.onChange(take);
      void scan(signal);
      repeat(deps.clock, { everyMs: SCAN_EVERY_MS, signal }, () => scan(signal));
      signal.addEventListener('abort', () => {
        unfollow();
        void queue.close().then(markStopped);
      });
      return Promise.resolve();
    },
  };
}

/** Records the outage of the server in the timeline of every running workflow. */
function recordRestart({ view, journal }: ApplyDeps): void {
  for (const workflow of workflowCollection.all(view)) {
    if (workflow.status?.state !== 'RUNNING') continue;
    const action = workflow.status.currentState?.actionName ?? '';
    const message = `server restarted; the workflow continues${action === '' ? '' : ` at ${action}`}`;
    journal.append({ source: 'server', event: 'server-restarted', ...subjectOf(view, workflow), message });
  }
}

/**
 * A change of a Template, a Hardware or a referenced object wakes the workflows that wait for it. A change of a BMC Job wakes
 * its workflow.
 */
function wokenBy(view: View, referrers: Referrers, change: Change): readonly string[] {
  const byReference = referrers.naming(change.key).flatMap((one) => waitingFor(view, one));
  return [...ofObject(view, change), ...byReference];
}

function ofObject(view: View, change: Change): readonly string[] {
  const { key, object } = change;
  if (hardwareCollection.holds(change)) return waitingFor(view, key);
  if (templateCollection.holds(change)) return waitingForTemplate(view, key);
  if (key.collection !== jobCollection) return [];
  const owners = object.metadata.ownerReferences ?? [];
  return owners.filter(({ kind }) => kind === 'Workflow').map(({ name }) => `${key.namespace}/${name}`);
}

function waitingForTemplate(view: View, { namespace, name }: ObjectKey): readonly string[] {
  return workflowCollection
    .all(view)
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec?.templateRef === name)
    .filter(isUnrendered)
    .map(pathOf);
}

function waitingFor(view: View, { namespace, name }: NamespacedName): readonly string[] {
  return view.workflowsByHardware(namespace, name).filter(isUnrendered).map(pathOf);
}

function isUnrendered({ status }: Workflow): boolean {
  return workflowStateOf(status?.state) === '';
}

function pathOf({ metadata }: Resource): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function keyOf(path: string): { namespace: string; name: string } {
  const [namespace = '', name = ''] = path.split('/');
  return { namespace, name };
}
