/**
 * Reconciles every workflow until its effects are done (upstream Tink Controller). A wake-up has no payload and may be
 * duplicated or lost: the reconciler reads the current state, and a periodic scan finds missed changes.
 */
import { repeat, type Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { workflowCollection } from '@tinkerbell/store-contract';
import { subjectOf } from '@tinkerbell/engine-workflow-events';
import type { ApplyDeps } from './apply-event.ts';
import { createControllerMetrics } from './metrics.ts';
import { WorkflowController, type ControllerDeps } from './workflow-controller.ts';
import { WorkflowCounts } from './workflow-counts.ts';

/** How long a lost wake-up can go unnoticed. */
const SCAN_EVERY_MS = 30_000;

export function createControllerService(deps: ControllerDeps): Service {
  const set = new MetricSet();
  const metrics = createControllerMetrics(set);
  const controller = new WorkflowController(deps, metrics);
  const counts = new WorkflowCounts(metrics);
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  return {
    name: 'controller',
    routes: [],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    start(signal) {
      recordRestart(deps);
      counts.begin(deps.view);
      const unfollow = deps.view.onChange((change) => {
        counts.take(change);
        controller.take(change);
      });
      void controller.scan(signal);
      repeat(deps.clock, { everyMs: SCAN_EVERY_MS, signal }, () => controller.scan(signal));
      signal.addEventListener('abort', () => {
        unfollow();
        void controller.close().then(markStopped);
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
