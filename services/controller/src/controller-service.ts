/**
 * Brings every workflow to where its effects are done (upstream Tink Controller). A wake-up carries no payload
 * and may come twice or not at all: the reconciler reads what is there, and a periodic scan finds what was missed.
 */
import type { Service } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import { subjectOf, workflowCollection, type Change, type View } from '@tinkerbell/store-contract';
import { workflowStateOf } from '@tinkerbell/workflow';
import type { ApplyDeps } from './apply-event.ts';
import { jobCollection } from './boot-phase.ts';
import { reconcile } from './reconcile.ts';
import type { Renderer } from './renderer.ts';
import { Rendering } from './rendering.ts';
import { WorkQueue } from './work-queue.ts';
import { createWorkerRenderer } from './worker-renderer.ts';

/** How long a lost wake-up can go unnoticed. */
const SCAN_EVERY_MS = 30_000;

export interface ControllerDeps extends ApplyDeps {
  /** A thread of its own when absent. */
  readonly renderer?: Renderer;
  /** For that thread: URL of the module whose `templatePlatform` functions of templates need; they fail without it. */
  readonly templatePlatformModule?: string;
}

export function createControllerService(deps: ControllerDeps): Service {
  const renderer =
    deps.renderer ??
    createWorkerRenderer(deps.clock, deps.log, { platformModule: deps.templatePlatformModule });
  const rendering = new Rendering(deps.view, renderer, deps.clock);
  const answeringSinceMs = deps.clock.nowMs();
  const queue = new WorkQueue(deps.clock, deps.log, async (path) =>
    reconcile({ ...deps, rendering, answeringSinceMs }, keyOf(path)),
  );
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();

  function take(change: Change): void {
    const { collection, namespace, name } = change.key;
    if (collection === workflowCollection && change.type === 'deleted')
      rendering.forget(`${namespace}/${name}`);
    for (const path of wokenBy(deps.view, change)) queue.add(path);
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
        void queue
          .close()
          .then(() => renderer.close())
          .then(markStopped);
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

/** A changed Template or Hardware wakes the workflows that wait for it, a BMC Job the workflow it belongs to. */
function wokenBy(view: View, change: Change): readonly string[] {
  const { collection, namespace, name } = change.key;
  if (collection === workflowCollection) return change.type === 'deleted' ? [] : [`${namespace}/${name}`];
  if (collection === jobCollection) {
    const owners = change.object.metadata.ownerReferences ?? [];
    return owners.filter((one) => one.kind === 'Workflow').map((one) => `${namespace}/${one.name}`);
  }
  return (view.all(workflowCollection) as readonly Workflow[])
    .filter((one) => workflowStateOf(one.status?.state) === '')
    .filter((one) => one.metadata.namespace === namespace && refersTo(one, change))
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
