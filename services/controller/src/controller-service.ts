/**
 * Reconciles every workflow until its effects are done (upstream Tink Controller). A wake-up has no payload and may be
 * duplicated or lost: the reconciler reads the current state, and a periodic scan finds missed changes.
 */
import { repeat, type Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import type { Resource, Workflow } from '@tinkerbell/resources';
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
import { workflowStateOf } from '@tinkerbell/workflow';
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
  const answeringSinceMs = deps.clock.nowMs();
  const queue = new WorkQueue({ ...deps, metrics, kind: 'workflow' }, async (path, place) =>
    reconcile({ ...deps, rendering: rendering.at(place), answeringSinceMs }, keyOf(path)),
  );
  const counts = new WorkflowCounts(metrics);
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();

  function take(change: Change): void {
    const { namespace, name } = change.key;
    counts.take(change);
    if (workflowCollection.holds(change) && change.type === 'deleted')
      rendering.forget(`${namespace}/${name}`);
    if (hardwareCollection.holds(change) && change.type === 'deleted') referrers.remove({ namespace, name });
    else if (hardwareCollection.holds(change)) {
      referrers.put(change.object);
      void showClaims(deps, change.object);
    }
    for (const path of wokenBy(deps.view, referrers, change)) queue.add(path);
  }

  function scan(): void {
    // Changes may have been missed here too.
    referrers.replace(hardwareCollection.all(deps.view));
    for (const workflow of workflowCollection.all(deps.view)) queue.add(pathOf(workflow));
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
      const scanAll = (): void => {
        scan();
        void showAllClaims(deps, signal);
      };
      scanAll();
      repeat(deps.clock, { everyMs: SCAN_EVERY_MS, signal }, scanAll);
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
  return [...ownWorkflows(view, change), ...byReference];
}

function ownWorkflows(view: View, change: Change): readonly string[] {
  const { key, object } = change;
  if (workflowCollection.holds(change)) return change.type === 'deleted' ? [] : [pathOf(object)];
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
