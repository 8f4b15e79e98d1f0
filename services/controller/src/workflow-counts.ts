/** How many workflows are in each state, and how often one came to it. */
import type { Workflow } from '@tinkerbell/resources';
import { workflowCollection, type Change, type View } from '@tinkerbell/store-contract';
import { workflowStateOf, workflowStates, type WorkflowState } from '@tinkerbell/workflow';
import type { ControllerMetrics } from './metrics.ts';

export class WorkflowCounts {
  readonly #states = new Map<string, WorkflowState>();
  readonly #metrics: Pick<ControllerMetrics, 'workflows' | 'transitions'>;

  constructor(metrics: Pick<ControllerMetrics, 'workflows' | 'transitions'>) {
    this.#metrics = metrics;
    // Zeros before the first workflow: a rate needs a value to begin with.
    for (const state of workflowStates.map(labelOf)) {
      metrics.workflows.with({ state });
      metrics.transitions.with({ to: state });
    }
  }

  /** Takes what is there when counting begins: nothing came to its state now. */
  begin(view: View): void {
    for (const workflow of workflowCollection.all(view))
      this.#enter(`${workflow.metadata.namespace}/${workflow.metadata.name}`, stateOf(workflow));
  }

  take(change: Change): void {
    if (!workflowCollection.holds(change)) return;
    const { key, type, object } = change;
    const path = `${key.namespace}/${key.name}`;
    if (type === 'deleted') return this.#leave(path);
    const state = stateOf(object);
    if (this.#states.get(path) === state) return;
    this.#enter(path, state);
    this.#metrics.transitions.add({ to: labelOf(state) });
  }

  #enter(path: string, state: WorkflowState): void {
    this.#leave(path);
    this.#states.set(path, state);
    this.#metrics.workflows.add({ state: labelOf(state) }, 1);
  }

  #leave(path: string): void {
    const state = this.#states.get(path);
    if (state === undefined) return;
    this.#states.delete(path);
    this.#metrics.workflows.add({ state: labelOf(state) }, -1);
  }
}

/** A workflow that is not rendered yet has no state. */
function labelOf(state: WorkflowState): string {
  return state || 'NEW';
}

function stateOf({ status }: Workflow): WorkflowState {
  return workflowStateOf(status?.state);
}
