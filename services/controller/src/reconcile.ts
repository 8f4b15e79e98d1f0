/** Reconciles one workflow: reads its status and performs its effects until none is left. */
import { mayRunOn, USE_HARDWARE, type Workflow } from '@tinkerbell/resources';
import type { WorkflowDefinition } from '@tinkerbell/template';
import { machineOfAgent, workflowCollection, type NamespacedName } from '@tinkerbell/store-contract';
import { effectsFor, needsPreparation, type Effect, type WorkflowEvent } from '@tinkerbell/workflow';
import { apply } from './apply-event.ts';
import { clearBootJob, createBootJob, followBootJob, toggleNetboot, type BootDeps } from './boot-phase.ts';
import type { Again } from '@tinkerbell/engine-work-queue';

/** Limit of effects in one reconciliation. More than a workflow can have means a loop, which is an error. */
const ROUNDS_LIMIT = 20;

export interface ReconcileDeps extends BootDeps {
  /** Time since which agents can report, by the clock. */
  readonly answeringSinceMs: number;
}

/** Resolves with the time of the next deadline, if there is one. */
export async function reconcile(deps: ReconcileDeps, workflow: NamespacedName): Promise<Again> {
  for (let round = 0; round < ROUNDS_LIMIT; round++) {
    const stored = await workflowCollection.get(deps.store, workflow);
    if (stored === undefined) return undefined;
    const effects = effectsFor(stored.object, deps.clock.nowMs(), deps.answeringSinceMs);
    const outcome = await performAll(deps, stored.object, effects);
    if (outcome !== 'changed') return outcome;
  }
  throw new Error(`reconciliation of workflow ${workflow.namespace}/${workflow.name} does not end`);
}

async function performAll(
  deps: BootDeps,
  workflow: Workflow,
  effects: readonly Effect[],
): Promise<Again | 'changed'> {
  for (const effect of effects) {
    const outcome = await perform(deps, workflow, effect);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

async function perform(deps: BootDeps, workflow: Workflow, effect: Effect): Promise<Again | 'changed'> {
  switch (effect.kind) {
    case 'wake':
      return { atMs: effect.atMs };
    case 'follow-boot-job':
      return followBootJob(deps, workflow, effect);
    default:
      return (await change(deps, workflow, effect)) ? 'changed' : undefined;
  }
}

/** Returns true if the workflow itself changed. */
async function change(
  deps: BootDeps,
  workflow: Workflow,
  effect: Exclude<Effect, { kind: 'wake' | 'follow-boot-job' }>,
): Promise<boolean> {
  switch (effect.kind) {
    case 'render':
      return apply(deps, workflow, await render(deps, workflow));
    case 'name-agent':
      return nameAgent(deps, workflow);
    case 'toggle-netboot':
      return toggleNetboot(deps, workflow, effect.allow);
    case 'clear-boot-job':
      return clearBootJob(deps, workflow, effect.job);
    case 'create-boot-job':
      return createBootJob(deps, workflow, effect);
    case 'finish-preparation':
      return apply(deps, workflow, { kind: 'preparation-finished' });
    case 'finish-post':
      return apply(deps, workflow, { kind: 'post-finished' });
    case 'expire':
      return apply(deps, workflow, { kind: 'deadline-passed' });
    case 'end-backoff':
      return apply(deps, workflow, { kind: 'backoff-passed' });
  }
}

async function render(deps: BootDeps, workflow: Workflow): Promise<WorkflowEvent> {
  const rendered = await deps.rendering.workflow(workflow);
  if (!rendered.ok) return { kind: 'rendering-failed', message: rendered.message };
  const unreachable = unreachableMachine(deps, workflow, rendered.value);
  if (unreachable !== undefined) return { kind: 'rendering-failed', message: unreachable };
  return {
    kind: 'template-rendered',
    rendered: rendered.value,
    needsPreparation: needsPreparation(workflow),
  };
}

/** A template may name any worker, but machines of other namespaces do not run its actions. */
function unreachableMachine(
  { view }: BootDeps,
  workflow: Workflow,
  { tasks }: WorkflowDefinition,
): string | undefined {
  for (const { name, worker } of tasks) {
    const machine = machineOfAgent(view, worker);
    if (machine !== undefined && !mayRunOn(workflow, machine))
      return `task ${name}: the worker ${worker} is a machine of another namespace; a user who may "use" it must name it in the annotation ${USE_HARDWARE}: NAMESPACE/NAME`;
  }
  return undefined;
}

/** Template errors of a disabled workflow are reported when it is enabled. */
async function nameAgent(deps: BootDeps, workflow: Workflow): Promise<boolean> {
  const rendered = await deps.rendering.workflow(workflow);
  const agentId = rendered.ok ? (rendered.value.tasks[0]?.worker ?? '') : '';
  return agentId !== '' && apply(deps, workflow, { kind: 'agent-named', agentId });
}
