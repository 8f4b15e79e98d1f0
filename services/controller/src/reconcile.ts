/** One workflow: reads its status, performs the effects that follow from it, until none is left. */
import type { Clock, Log, Random } from '@tinkerbell/platform-contract';
import { primaryMacOf, type Hardware, type Workflow } from '@tinkerbell/resources';
import { updateObject, type Journal, type Store, type View } from '@tinkerbell/store-contract';
import { renderTemplate } from '@tinkerbell/template';
import {
  effectsFor,
  needsPreparation,
  transition,
  ulid,
  type Effect,
  type Reason,
  type WorkflowEvent,
} from '@tinkerbell/workflow';
import type { Again } from './work-queue.ts';

export interface ReconcileDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export const workflowCollection = 'workflows.tinkerbell.org';
const hardwareCollection = 'hardware.tinkerbell.org';

/** Effects performed in one go; more than a workflow can have means a loop, and is an error. */
const ROUNDS_LIMIT = 20;

interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** Resolves with the time of the next deadline, if there is one. */
export async function reconcile(deps: ReconcileDeps, workflow: Name): Promise<Again> {
  for (let round = 0; round < ROUNDS_LIMIT; round++) {
    const stored = await deps.store.get({ collection: workflowCollection, ...workflow });
    if (stored === undefined) return undefined;
    const effects = effectsFor(stored.object as Workflow, deps.clock.nowMs());
    const outcome = await performAll(deps, stored.object as Workflow, effects);
    if (outcome !== 'changed') return outcome;
  }
  throw new Error(`workflow ${workflow.namespace}/${workflow.name} does not come to rest`);
}

async function performAll(
  deps: ReconcileDeps,
  workflow: Workflow,
  effects: readonly Effect[],
): Promise<Again | 'changed'> {
  for (const effect of effects) {
    if (effect.kind === 'wake') return { atMs: effect.atMs };
    if (await perform(deps, workflow, effect)) return 'changed';
  }
  return undefined;
}

/** True when the workflow itself was changed. */
async function perform(
  deps: ReconcileDeps,
  workflow: Workflow,
  effect: Exclude<Effect, { kind: 'wake' }>,
): Promise<boolean> {
  switch (effect.kind) {
    case 'render':
      return apply(deps, workflow, render(deps, workflow));
    case 'allow-netboot':
      return allowNetboot(deps, workflow, effect.allow);
    case 'refuse-boot-mode': {
      const message = `boot mode ${effect.bootMode} needs a BMC service, which this server does not run; remove spec.bootOptions.bootMode and power the machine on by hand`;
      return apply(deps, workflow, { kind: 'preparation-failed', message });
    }
    case 'finish-preparation':
      return apply(deps, workflow, { kind: 'preparation-finished' });
    case 'finish-post':
      return apply(deps, workflow, { kind: 'post-finished' });
    case 'expire':
      return apply(deps, workflow, { kind: 'deadline-passed' });
  }
}

function render(deps: ReconcileDeps, workflow: Workflow): WorkflowEvent {
  const { namespace, name } = workflow.metadata;
  const { templateRef = '', hardwareRef = '', hardwareMap = {} } = workflow.spec ?? {};
  const failed = (message: string): WorkflowEvent => ({ kind: 'rendering-failed', message });
  const template = deps.view.templateNamed(namespace, templateRef);
  if (template === undefined) return failed(`template not found: ${namespace}/${templateRef}`);
  const hardware = hardwareRef === '' ? undefined : deps.view.hardwareNamed(namespace, hardwareRef);
  if (hardwareRef !== '' && hardware === undefined)
    return failed(`hardware not found: ${namespace}/${hardwareRef}`);
  const rendered = renderTemplate({
    templateName: name,
    text: template.spec?.data ?? '',
    hardware,
    hardwareMap,
  });
  if (!rendered.ok) return failed(`error rendering template: ${rendered.error.message}`);
  return {
    kind: 'template-rendered',
    rendered: rendered.workflow,
    needsPreparation: needsPreparation(workflow),
  };
}

async function apply(deps: ReconcileDeps, workflow: Workflow, event: WorkflowEvent): Promise<boolean> {
  const { namespace, name } = workflow.metadata;
  const nowMs = deps.clock.nowMs();
  const nextId = (): string => ulid(nowMs, deps.random.bytes(16));
  const updated = await updateObject<Reason>(
    deps.store,
    { collection: workflowCollection, namespace, name },
    (current) => {
      const next = transition((current as Workflow).status ?? {}, event, { nowMs, nextId });
      return next.ok ? { object: { ...current, status: next.status } } : { refusal: next.reason };
    },
  );
  if (updated.ok) record(deps, updated.before as Workflow, updated.after as Workflow, event);
  else if (updated.kind === 'unavailable') throw new Error(updated.message);
  return updated.ok;
}

function record(deps: ReconcileDeps, before: Workflow, after: Workflow, event: WorkflowEvent): void {
  const subject = subjectOf(deps.view, after);
  const why = 'message' in event ? `: ${event.message}` : '';
  const [from = '', to = ''] = [before.status?.state, after.status?.state];
  if (from !== to) {
    const message = `workflow is ${to}${why}`;
    deps.journal.append({
      source: 'workflow',
      event: 'state-changed',
      ...subject,
      message,
      details: { from, to },
    });
  } else if (why !== '') {
    deps.journal.append({
      source: 'workflow',
      event: event.kind,
      ...subject,
      message: `workflow cannot be rendered${why}`,
    });
  }
}

/** Whom a journal record about a workflow concerns. */
export function subjectOf(view: View, workflow: Workflow): { workflow: string; machine?: string } {
  const { namespace, name } = workflow.metadata;
  const machine = primaryMacOf(view.hardwareNamed(namespace, workflow.spec?.hardwareRef ?? ''));
  return { workflow: `${namespace}/${name}`, ...(machine === undefined ? {} : { machine }) };
}

/** Sets allowPXE of every network interface. The workflow itself stays as it is, so that this is harmless to repeat. */
async function allowNetboot(deps: ReconcileDeps, workflow: Workflow, allow: boolean): Promise<boolean> {
  const { namespace } = workflow.metadata;
  const name = workflow.spec?.hardwareRef ?? '';
  const updated = await updateObject<'unchanged'>(
    deps.store,
    { collection: hardwareCollection, namespace, name },
    (current) => {
      const hardware = current as Hardware;
      const interfaces = (hardware.spec?.interfaces ?? []).map((one) => ({
        ...one,
        netboot: { ...one.netboot, allowPXE: allow },
      }));
      const isSet = (hardware.spec?.interfaces ?? []).every((one) => one.netboot?.allowPXE === allow);
      const metadata = { ...hardware.metadata, generation: (hardware.metadata.generation ?? 1) + 1 };
      return isSet
        ? { refusal: 'unchanged' }
        : { object: { ...hardware, metadata, spec: { ...hardware.spec, interfaces } } };
    },
  );
  if (updated.ok || updated.kind === 'refused') return false;
  if (updated.kind === 'unavailable') throw new Error(updated.message);
  return apply(deps, workflow, {
    kind: allow ? 'preparation-failed' : 'post-failed',
    message: `cannot set allowPXE to ${allow}: hardware ${namespace}/${name} not found`,
  });
}
