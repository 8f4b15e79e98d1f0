/** Counts workflows by state, and changes to each state. */
import type { Workflow } from '@tinkerbell/resources';
import { workflowCollection, type Change, type View } from '@tinkerbell/store-contract';
import { workflowStateOf, workflowStates, type WorkflowState } from '@tinkerbell/workflow';

export class WorkflowCounts {
  readonly #states = new Map<string, WorkflowState>();
  readonly #now = new Map<WorkflowState, number>(workflowStates.map((state) => [state, 0]));
  readonly #reached = new Map<WorkflowState, number>(workflowStates.map((state) => [state, 0]));

  /** Takes the workflows that exist at the start, which are not counted as changes. */
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
    this.#reached.set(state, (this.#reached.get(state) ?? 0) + 1);
  }

  #enter(path: string, state: WorkflowState): void {
    this.#leave(path);
    this.#states.set(path, state);
    this.#now.set(state, (this.#now.get(state) ?? 0) + 1);
  }

  #leave(path: string): void {
    const state = this.#states.get(path);
    if (state === undefined) return;
    this.#states.delete(path);
    this.#now.set(state, (this.#now.get(state) ?? 0) - 1);
  }

  /** By metric name with labels. */
  counters(): Record<string, number> {
    const counters: Record<string, number> = {};
    for (const state of workflowStates) {
      counters[`workflows{state="${state || 'NEW'}"}`] = this.#now.get(state) ?? 0;
      counters[`workflow_transitions_total{to="${state || 'NEW'}"}`] = this.#reached.get(state) ?? 0;
    }
    return counters;
  }
}

function stateOf({ status }: Workflow): WorkflowState {
  return workflowStateOf(status?.state);
}
