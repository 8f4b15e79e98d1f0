/** Finds the workflows that a change concerns, and queues those that have something to do. */
import { inSlices } from '@tinkerbell/platform-contract';
import { WorkQueue } from '@tinkerbell/engine-work-queue';
import { SeenHardware, type Hardware, type Resource, type Workflow } from '@tinkerbell/resources';
import {
  hardwareCollection,
  templateCollection,
  workflowCollection,
  type Change,
  type NamespacedName,
  type ObjectKey,
  type View,
} from '@tinkerbell/store-contract';
import { effectsFor, workflowStateOf } from '@tinkerbell/workflow';
import type { ApplyDeps } from './apply-event.ts';
import { jobCollection } from './boot-phase.ts';
import { showAllClaims, showClaims } from './claim-conditions.ts';
import type { ControllerMetrics } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { Referrers } from './referrers.ts';
import { Rendering, type RenderingDeps } from './rendering.ts';

export type ControllerDeps = ApplyDeps & RenderingDeps;

export class WorkflowController {
  readonly #deps: ControllerDeps;
  readonly #rendering: Rendering;
  readonly #referrers: Referrers;
  readonly #seen = new SeenHardware();
  readonly #answeringSinceMs: number;
  readonly #queue: WorkQueue;

  constructor(deps: ControllerDeps, metrics: ControllerMetrics) {
    this.#deps = deps;
    this.#rendering = new Rendering(deps);
    this.#referrers = new Referrers(deps.referenceRules);
    const answeringSinceMs = deps.clock.nowMs();
    this.#answeringSinceMs = answeringSinceMs;
    this.#queue = new WorkQueue({ ...deps, metrics, kind: 'workflow' }, async (path, place) =>
      reconcile({ ...deps, rendering: this.#rendering.at(place), answeringSinceMs }, keyOf(path)),
    );
  }

  take(change: Change): void {
    if (hardwareCollection.holds(change)) this.#takeHardware(change);
    if (workflowCollection.holds(change)) {
      if (change.type === 'deleted') this.#forget(pathOf(change.object));
      else this.#look(change.object);
    }
    for (const path of wokenBy(this.#deps.view, this.#referrers, change)) this.#queue.add(path);
  }

  #takeHardware({ type, object }: Pick<Change<Hardware>, 'type' | 'object'>): void {
    if (type === 'deleted') this.#referrers.remove(object.metadata);
    else if (this.#seen.isNews(object)) {
      this.#referrers.put(object);
      void showClaims(this.#deps, object);
    }
  }

  #forget(path: string): void {
    this.#queue.expect(path, undefined);
    this.#rendering.forget(path);
  }

  /** Adds the workflow only if it has something to do now. Most changes only move its deadline. */
  #look(workflow: Workflow): void {
    const [first] = effectsFor(workflow, this.#deps.clock.nowMs(), this.#answeringSinceMs);
    if (first === undefined || first.kind === 'wake') this.#queue.expect(pathOf(workflow), first);
    else this.#queue.add(pathOf(workflow));
  }

  /** Finds changes that were missed. References are first, so that no change of an object is missed between them and its workflows. */
  async scan(signal: AbortSignal): Promise<void> {
    const { view, clock } = this.#deps;
    const pace = { clock, signal };
    await inSlices(this.#referrers.all(), pace, (hardware) => this.#indexAgain(hardware));
    await inSlices(hardwareCollection.all(view), pace, ({ metadata, spec }) => {
      if (spec?.references !== undefined) this.#indexAgain(metadata);
    });
    await inSlices(workflowCollection.all(view), pace, ({ metadata: { namespace, name } }) => {
      const workflow = view.workflowNamed(namespace, name);
      if (workflow !== undefined) this.#look(workflow);
    });
    await showAllClaims(this.#deps, signal);
  }

  /** An object may have changed since the scan began. */
  #indexAgain({ namespace, name }: NamespacedName): void {
    const hardware = this.#deps.view.hardwareNamed(namespace, name);
    if (hardware === undefined) this.#referrers.remove({ namespace, name });
    else this.#referrers.put(hardware);
  }

  close(): Promise<void> {
    return this.#queue.close();
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
