/** One workflow: reads its status, performs the effects that follow from it, until none is left. */
import { mayRunOn, USE_HARDWARE, type Workflow } from '@tinkerbell/resources';
import type { WorkflowDefinition } from '@tinkerbell/template';
import { machineOfAgent, workflowCollection } from '@tinkerbell/store-contract';
import { effectsFor, needsPreparation, type Effect, type WorkflowEvent } from '@tinkerbell/workflow';
import { apply } from './apply-event.ts';
import { clearBootJob, createBootJob, followBootJob, toggleNetboot, type BootDeps } from './boot-phase.ts';
import type { Again } from './work-queue.ts';

/** Effects performed in one go; more than a workflow can have means a loop, and is an error. */
const ROUNDS_LIMIT = 20;

interface Name {
  readonly namespace: string;
  readonly name: string;
}

export interface ReconcileDeps extends BootDeps {
  /** Since when agents can report, by the clock. */
  readonly answeringSinceMs: number;
}

/** Resolves with the time of the next deadline, if there is one. */
export async function reconcile(deps: ReconcileDeps, workflow: Name): Promise<Again> {
  for (let round = 0; round < ROUNDS_LIMIT; round++) {
    const stored = await workflowCollection.get(deps.store, workflow);
    if (stored === undefined) return undefined;
    const effects = effectsFor(stored.object, deps.clock.nowMs(), deps.answeringSinceMs);
    const outcome = await performAll(deps, stored.object, effects);
    if (outcome !== 'changed') return outcome;
  }
  throw new Error(`workflow ${workflow.namespace}/${workflow.name} does not come to rest`);
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

/** True when the workflow itself was changed. */
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

/** A template may name any worker; machines of other namespaces do not run what it says. */
function unreachableMachine(
  { view }: BootDeps,
  workflow: Workflow,
  { tasks }: WorkflowDefinition,
): string | undefined {
  for (const { name, worker } of tasks) {
    const machine = machineOfAgent(view, worker);
    if (machine !== undefined && !mayRunOn(workflow, machine))
      return `task ${name}: the worker ${worker} is a machine of another namespace; who may "use" it names it in the annotation ${USE_HARDWARE}: NAMESPACE/NAME`;
  }
  return undefined;
}

/** What is wrong with the template of a disabled workflow is told when it is enabled. */
async function nameAgent(deps: BootDeps, workflow: Workflow): Promise<boolean> {
  const rendered = await deps.rendering.workflow(workflow);
  const agentId = rendered.ok ? (rendered.value.tasks[0]?.worker ?? '') : '';
  return agentId !== '' && apply(deps, workflow, { kind: 'agent-named', agentId });
}
