/**
 * Brings every workflow to where its effects are done (upstream Tink Controller). A wake-up carries no payload
 * and may come twice or not at all: the reconciler reads what is there, and a periodic scan finds what was missed.
 */
import type { Service } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import { isReferenced, subjectOf, workflowCollection, type Change } from '@tinkerbell/store-contract';
import { workflowStateOf } from '@tinkerbell/workflow';
import type { ApplyDeps } from './apply-event.ts';
import { jobCollection } from './boot-phase.ts';
import { reconcile } from './reconcile.ts';
import { Rendering, type RenderingDeps } from './rendering.ts';
import { WorkQueue } from './work-queue.ts';

/** How long a lost wake-up can go unnoticed. */
const SCAN_EVERY_MS = 30_000;

export type ControllerDeps = ApplyDeps & RenderingDeps;

export function createControllerService(deps: ControllerDeps): Service {
  const rendering = new Rendering(deps);
  const answeringSinceMs = deps.clock.nowMs();
  const queue = new WorkQueue(deps.clock, deps.log, async (path) =>
    reconcile({ ...deps, rendering, answeringSinceMs }, keyOf(path)),
  );
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();

  function take(change: Change): void {
    const { collection, namespace, name } = change.key;
    if (collection === workflowCollection && change.type === 'deleted')
      rendering.forget(`${namespace}/${name}`);
    for (const path of wokenBy(deps, change)) queue.add(path);
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
function recordRestart({ view, journal }: ApplyDeps): void {
  for (const workflow of view.all(workflowCollection) as readonly Workflow[]) {
    if (workflow.status?.state !== 'RUNNING') continue;
    const action = workflow.status.currentState?.actionName ?? '';
    const message = `server started again; the workflow goes on${action === '' ? '' : ` at ${action}`}`;
    journal.append({ source: 'server', event: 'server-restarted', ...subjectOf(view, workflow), message });
  }
}

/**
 * A changed Template, Hardware or object that a Hardware names wakes the workflows that wait for it, a BMC Job the workflow it
 * belongs to. Workflows and Jobs change too often to look for who names them; the scan finds those.
 */
function wokenBy({ view, referenceRules }: ControllerDeps, change: Change): readonly string[] {
  const { collection, namespace, name } = change.key;
  if (collection === workflowCollection) return change.type === 'deleted' ? [] : [`${namespace}/${name}`];
  if (collection === jobCollection) {
    const owners = change.object.metadata.ownerReferences ?? [];
    return owners.filter((one) => one.kind === 'Workflow').map((one) => `${namespace}/${one.name}`);
  }
  return (view.all(workflowCollection) as readonly Workflow[])
    .filter((one) => workflowStateOf(one.status?.state) === '')
    .filter((one) => {
      if (one.metadata.namespace === namespace && refersTo(one, change)) return true;
      const hardware = view.hardwareNamed(one.metadata.namespace, one.spec?.hardwareRef ?? '');
      return hardware?.spec?.references !== undefined && isReferenced(hardware, referenceRules, change.key);
    })
    .map(pathOf);
}

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
