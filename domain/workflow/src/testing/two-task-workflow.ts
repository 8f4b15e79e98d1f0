/** A workflow of two tasks and agents, and helpers that send it events. */
import type { WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import type { ActionDefinition, WorkflowDefinition } from '@tinkerbell/template';
import { transition, type ActionState, type OperatorVerb, type WorkflowEvent } from '../index.ts';

export const START_MS = Date.parse('2026-01-01T00:00:00Z');

export function definition(name: string, fields: Partial<ActionDefinition> = {}): ActionDefinition {
  return {
    name,
    image: 'img',
    timeoutSeconds: 60,
    command: [],
    volumes: [],
    environment: new Map(),
    pid: '',
    namespaces: { network: '', pid: '' },
    ...fields,
  };
}

/** Task `one` of agent-1 with actions a and b, task `two` of agent-2 with action c. */
export function twoTasks(
  fields: Readonly<Record<string, Partial<ActionDefinition>>> = {},
): WorkflowDefinition {
  const task = (name: string, worker: string, actions: readonly string[]) => ({
    name,
    worker,
    volumes: [],
    environment: new Map<string, string>(),
    actions: actions.map((one) => definition(one, fields[one])),
  });
  return {
    name: 'w',
    globalTimeoutSeconds: 600,
    tasks: [task('one', 'agent-1', ['a', 'b']), task('two', 'agent-2', ['c'])],
  };
}

/** A workflow whose clock the test advances. */
export class TestWorkflow {
  status: WorkflowStatus;
  nowMs = START_MS;

  constructor(fields: Readonly<Record<string, Partial<ActionDefinition>>> = {}, needsPreparation = false) {
    this.status = {};
    this.apply({ kind: 'template-rendered', rendered: twoTasks(fields), needsPreparation });
  }

  #ids = 0;

  /** The reason when nothing changed. */
  try(event: WorkflowEvent): string | undefined {
    const nextId = (): string => `id-${++this.#ids}`;
    const next = transition(this.status, event, { nowMs: this.nowMs, nextId });
    if (!next.ok) return next.reason;
    this.status = next.status;
    return undefined;
  }

  apply(event: WorkflowEvent): this {
    return this.#must(this.try(event));
  }

  request(agentId = 'agent-1'): string | undefined {
    return this.try({ kind: 'action-requested', agentId });
  }

  report(name: string, state: ActionState, message = ''): string | undefined {
    const { task, action } = this.place(name);
    return this.try({
      kind: 'action-reported',
      report: { agentId: task.agentID, taskId: task.id, actionId: action.id, state, message },
    });
  }

  /** Assigns the action, and its agent reports these states. */
  run(name: string, ...states: ActionState[]): this {
    this.#must(this.request(this.place(name).task.agentID));
    for (const state of states) this.#must(this.report(name, state));
    return this;
  }

  #must(reason: string | undefined): this {
    if (reason !== undefined) throw new Error(reason);
    return this;
  }

  operate(verb: OperatorVerb, fields: object = {}): string | undefined {
    const event = { kind: verb, who: 'anna', why: '', needsPreparation: false, ...fields };
    return this.try(event as WorkflowEvent);
  }

  place(name: string) {
    for (const task of this.status.tasks ?? []) {
      const actions = task.actions.flatMap((one) => [one, ...(one.onFailure ?? [])]);
      const action = actions.find((one) => one.name === name);
      if (action !== undefined) return { task, action };
    }
    throw new Error(`no action ${name}`);
  }

  action(name: string): WorkflowAction {
    return this.place(name).action;
  }

  states(): string {
    const actions = (this.status.tasks ?? []).flatMap((task) => task.actions.map((one) => one.state));
    return `${this.status.state}: ${actions.join(' ')}`;
  }

  conditions(): string[] {
    return (this.status.conditions ?? []).map(
      ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
    );
  }
}
