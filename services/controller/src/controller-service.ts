/**
 * Brings every workflow to where its effects are done (upstream Tink Controller). A wake-up carries no payload
 * and may come twice or not at all: the reconciler reads what is there, and a periodic scan finds what was missed.
 */
import type { Service } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import type { Change } from '@tinkerbell/store-contract';
import { reconcile, subjectOf, workflowCollection, type ReconcileDeps } from './reconcile.ts';
import { WorkQueue } from './work-queue.ts';

/** How long a lost wake-up can go unnoticed. */
const SCAN_EVERY_MS = 30_000;

export function createControllerService(deps: ReconcileDeps): Service {
  const queue = new WorkQueue(deps.clock, deps.log, async (path) => reconcile(deps, keyOf(path)));
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();

  function take(change: Change): void {
    const { collection, namespace, name } = change.key;
    if (collection === workflowCollection) {
      if (change.type !== 'deleted') queue.add(`${namespace}/${name}`);
      return;
    }
    for (const workflow of unrendered()) {
      if (workflow.metadata.namespace === namespace && refersTo(workflow, change))
        queue.add(pathOf(workflow));
    }
  }

  function unrendered(): readonly Workflow[] {
    return (deps.view.all(workflowCollection) as readonly Workflow[]).filter(
      (one) => (one.status?.state ?? '') === '',
    );
  }

  function scan(): void {
    for (const workflow of deps.view.all(workflowCollection) as readonly Workflow[])
      queue.add(pathOf(workflow));
  }

  return {
    name: 'controller',
    routes: [],
    stopped: () => stopped,
    health: () => ({ ready: true, counters: queue.counters() }),
    start(signal) {
      recordRestart(deps);
      const unfollow = deps.view.onChange(take);
      let cancelScan = (): void => undefined;
      const scanAgain = (): void => {
        scan();
        cancelScan = deps.clock.schedule(SCAN_EVERY_MS, scanAgain);
      };
      scanAgain();
      signal.addEventListener('abort', () => {
        unfollow();
        cancelScan();
        void queue.close().then(markStopped);
      });
      return Promise.resolve();
    },
  };
}

/** Whoever follows a running workflow sees that the server was away. */
function recordRestart({ view, journal }: ReconcileDeps): void {
  for (const workflow of view.all(workflowCollection) as readonly Workflow[]) {
    if (workflow.status?.state !== 'RUNNING') continue;
    const action = workflow.status.currentState?.actionName ?? '';
    const message = `server started again; the workflow goes on${action === '' ? '' : ` at ${action}`}`;
    journal.append({ source: 'server', event: 'server-restarted', ...subjectOf(view, workflow), message });
  }
}

/** A changed Template or Hardware wakes the workflows that wait for it. */
function refersTo(workflow: Workflow, change: Change): boolean {
  const { templateRef, hardwareRef } = workflow.spec ?? {};
  if (change.object.kind === 'Template') return templateRef === change.key.name;
  return change.object.kind === 'Hardware' && hardwareRef === change.key.name;
}

function pathOf({ metadata }: Workflow): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function keyOf(path: string): { namespace: string; name: string } {
  const [namespace = '', name = ''] = path.split('/');
  return { namespace, name };
}
