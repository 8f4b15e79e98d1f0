/** What must always hold, checked after every change of the store and every acknowledgement. */
import type { Workflow } from '@tinkerbell/resources';
import { workflowCollection, type Change, type Store } from '@tinkerbell/store-contract';
import type { GivenAction } from './machine/model.ts';

const TERMINAL_STATES = new Set(['SUCCESS', 'FAILED', 'TIMEOUT']);
const ENDED_ACTIONS = new Set(['SUCCESS', 'FAILED', 'TIMEOUT']);

interface SeenAction {
  readonly id: string;
  readonly state: string;
}

interface Seen {
  readonly state: string;
  readonly actions: readonly SeenAction[];
}

export class Invariants {
  readonly #broken: string[] = [];
  readonly #seen = new Map<string, Seen>();
  /** Ends that the server has acknowledged, as `<workflow> <action>`. */
  readonly #acknowledged = new Set<string>();
  readonly #addresses = new Map<string, string>();

  /** What did not hold, in order. */
  broken(): readonly string[] {
    return this.#broken;
  }

  /** The workflows that have not succeeded, at the end. */
  unfinished(): readonly string[] {
    const open = [...this.#seen].filter(([, { state }]) => state !== 'SUCCESS');
    return open.map(([path, { state }]) => `${path} ended as ${state === '' ? 'not rendered' : state}`);
  }

  async follow(store: Store): Promise<void> {
    const onEnd = (reason: string): void => void this.#broken.push(`the store ended: ${reason}`);
    await store.watch({ fromRevision: 0 }, { onChange: (change) => this.#changed(change), onEnd });
  }

  /** The machine was given the address. */
  addressed(address: string, mac: string): void {
    const other = this.#addresses.get(address);
    this.#check(other === undefined || other === mac, `${address} was given to ${other} and ${mac}`);
    this.#addresses.set(address, mac);
  }

  /** The agent was given the action to execute. */
  given({ workflowId, actionId, name }: GivenAction): void {
    const isDone = this.#acknowledged.has(`${workflowId} ${actionId}`);
    this.#check(!isDone, `${name} of ${workflowId} was given again after its end had been acknowledged`);
  }

  /** The server acknowledged that the action has ended. */
  ended({ workflowId, actionId, name }: GivenAction): void {
    this.#acknowledged.add(`${workflowId} ${actionId}`);
    const action = this.#seen.get(workflowId)?.actions.find(({ id }) => id === actionId);
    const state = action?.state ?? 'unknown';
    this.#check(
      state === 'SUCCESS',
      `the end of ${name} of ${workflowId} was acknowledged, but it is ${state}`,
    );
  }

  #changed(change: Change): void {
    if (!workflowCollection.holds(change)) return;
    const path = `${change.key.namespace}/${change.key.name}`;
    const [before, after] = [this.#seen.get(path), seenIn(change.object)];
    this.#seen.set(path, after);
    const running = after.actions.filter(({ state }) => state === 'RUNNING');
    this.#check(running.length <= 1, `${path} has ${running.length} running actions`);
    const begun = after.actions.findLastIndex(({ state }) => state !== 'PENDING');
    const early = after.actions.slice(0, Math.max(begun, 0)).find(({ state }) => state !== 'SUCCESS');
    this.#check(early === undefined, `${path} runs an action although one before it is ${early?.state}`);
    if (before === undefined) return;
    const isFinal = TERMINAL_STATES.has(before.state);
    this.#check(
      !isFinal || before.state === after.state,
      `${path} went from ${before.state} to ${after.state}`,
    );
    for (const { id, state } of before.actions) {
      const now = after.actions.find((action) => action.id === id)?.state;
      this.#check(
        !ENDED_ACTIONS.has(state) || now === state,
        `action ${id} of ${path} went from ${state} to ${now}`,
      );
    }
  }

  #check(holds: boolean, text: string): void {
    if (!holds) this.#broken.push(text);
  }
}

function seenIn({ status = {} }: Workflow): Seen {
  const actions = (status.tasks ?? []).flatMap((task) => task.actions ?? []);
  return {
    state: status.state ?? '',
    actions: actions.map(({ id, state = 'PENDING' }) => ({
      id,
      state: state === '' ? 'PENDING' : state,
    })),
  };
}
