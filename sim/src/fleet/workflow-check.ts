/** Compares what the machines saw with the Workflows in the API. */
import type { Workflow } from '@tinkerbell/resources';
import type { BootOutcome } from './fleet-machine.ts';
import type { FailedMachine } from './fleet-record.ts';
import type { MachinePlan } from './machine-plan.ts';

export interface Seen {
  readonly workflows: readonly Workflow[];
  readonly outcomes: ReadonlyMap<string, BootOutcome>;
  readonly failed: readonly FailedMachine[];
}

export interface Checked {
  readonly provisioned: number;
  /** With the states of their Workflows. */
  readonly failed: readonly FailedMachine[];
}

/** A machine that starts from its disk was provisioned only if its Workflow has succeeded. */
export function checkWorkflows(plans: readonly MachinePlan[], seen: Seen): Checked {
  const states = new Map(seen.workflows.map(({ metadata, status }) => [metadata.name, status?.state]));
  const stateOf = (name: string): string =>
    states.has(name) ? states.get(name) || 'not rendered' : 'missing';
  const atDisk = plans.filter(({ name }) => seen.outcomes.get(name)?.kind === 'disk');
  const early = atDisk.filter(({ name }) => stateOf(name) !== 'SUCCESS');
  const reason = 'the server sent the machine to its disk';
  const failed = [...seen.failed, ...early.map(({ name, mac }) => ({ name, mac, step: 'workflow', reason }))];
  return {
    provisioned: atDisk.length - early.length,
    failed: failed.map((one) => ({ ...one, workflow: stateOf(one.name) })),
  };
}
