/**
 * The phases before the first action and after the last one: allowPXE of the Hardware, and Jobs for its BMC. Every step may be
 * repeated.
 */
import { uidOf, type BmcJob, type Hardware, type Workflow } from '@tinkerbell/resources';
import { Collection, hardwareCollection, type ObjectKey } from '@tinkerbell/store-contract';
import {
  bootJobActions,
  bootJobOf,
  bootJobProgress,
  type BootFailure,
  type BootPhase,
  type Effect,
  type WorkflowEvent,
} from '@tinkerbell/workflow';
import { apply, type ApplyDeps } from './apply-event.ts';
import type { Renders } from './rendering.ts';
import type { Again } from '@tinkerbell/engine-work-queue';

export interface BootDeps extends ApplyDeps {
  readonly rendering: Renders;
}

export const jobCollection = 'jobs.bmc.tinkerbell.org';
const jobs = new Collection<BmcJob>(jobCollection);
const taskCollection = 'tasks.bmc.tinkerbell.org';

/** A BMC service starts a Job within seconds. After this time, the timeline asks the operator to check for one. */
const UNTAKEN_MS = 30_000;

/** Sets allowPXE of every network interface. */
export async function toggleNetboot(deps: BootDeps, workflow: Workflow, allow: boolean): Promise<boolean> {
  const { namespace } = workflow.metadata;
  const name = workflow.spec?.hardwareRef ?? '';
  const updated = await hardwareCollection.update<'unchanged'>(
    deps.store,
    { namespace, name },
    (hardware) => {
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
  if (updated.ok || updated.kind === 'refused')
    return apply(deps, workflow, { kind: 'netboot-toggled', allow });
  if (updated.kind === 'unavailable') throw new Error(updated.message);
  return fail(deps, workflow, {
    phase: allow ? 'preparing' : 'post',
    condition: allow ? 'AllowNetbootTrue' : 'AllowNetbootFalse',
    status: 'False',
    message: `error setting allowPXE to ${allow}: hardware not found: ${namespace}/${name}`,
  });
}

/** Deletes the Job of another run and its Tasks in one write. */
export async function clearBootJob(deps: BootDeps, workflow: Workflow, job: string): Promise<boolean> {
  const key = jobKey(workflow, job);
  const { namespace } = workflow.metadata;
  const tasks = (await deps.store.list({ collection: taskCollection, namespace })).items.filter(
    (one) => one.object.metadata.labels?.['owner-name'] === job,
  );
  const stale = await deps.store.get(key);
  const writes = [...(stale === undefined ? [] : [stale]), ...tasks].map(
    (one) => ({ operation: 'delete', key: one.key, expectedRevision: one.revision }) as const,
  );
  const result = writes.length === 0 ? undefined : await deps.store.commit(writes);
  if (result?.ok === false) throw new Error(result.message);
  return apply(deps, workflow, { kind: 'boot-job-cleared', job });
}

/**
 * Creates the phase's Job or uses the existing one. An existing Job after `boot-job-cleared` is from this run, created before a
 * crash. A second Job would restart the machine twice.
 */
export async function createBootJob(
  deps: BootDeps,
  workflow: Workflow,
  { job, phase }: Extract<Effect, { kind: 'create-boot-job' }>,
): Promise<boolean> {
  const key = jobKey(workflow, job);
  const there = await deps.store.get(key);
  if (there !== undefined)
    return apply(deps, workflow, { kind: 'boot-job-created', job, uid: there.object.metadata.uid ?? '' });
  const made = await jobFor(deps, workflow, { phase, name: job });
  if ('message' in made) return fail(deps, workflow, { phase, ...made });
  const uid = uidOf(deps.random.bytes(16));
  const creationTimestamp = new Date(deps.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  const metadata = { ...made.metadata, uid, creationTimestamp, generation: 1 };
  const result = await deps.store.commit([{ operation: 'create', key, object: { ...made, metadata } }]);
  if (!result.ok) throw new Error(result.message);
  return apply(deps, workflow, { kind: 'boot-job-created', job, uid });
}

async function jobFor(
  deps: BootDeps,
  workflow: Workflow,
  { phase, name }: { readonly phase: BootPhase; readonly name: string },
): Promise<BmcJob | BootFailure> {
  const { namespace } = workflow.metadata;
  const hardwareName = workflow.spec?.hardwareRef ?? '';
  const hardware = deps.view.hardwareNamed(namespace, hardwareName);
  const failed = (message: string, status: 'True' | 'False' = 'True'): BootFailure => ({
    condition: 'BootJobSetupFailed',
    status,
    message,
  });
  if (hardware === undefined)
    return failed(`failed to get hardware: hardware not found: ${namespace}/${hardwareName}`, 'False');
  const actions = bootJobActions(workflow, phase, hardware);
  if ('message' in actions) return failed(actions.message);
  const rendered = await withMediaUrls(deps, { workflow, hardware }, actions);
  if (!rendered.ok) return failed(`error creating job: ${rendered.message}`);
  const job = bootJobOf(workflow, hardware, { name, tasks: rendered.value });
  return 'message' in job ? failed(`error creating job: ${job.message}`) : job;
}

type BmcAction = NonNullable<BmcJob['spec']>['tasks'][number];

/** Renders the media URLs of a customboot, which are templates. */
async function withMediaUrls(
  deps: BootDeps,
  { workflow, hardware }: { readonly workflow: Workflow; readonly hardware: Hardware },
  actions: readonly BmcAction[],
) {
  const urls = actions.map((one) => one.virtualMediaAction?.mediaURL ?? '');
  const isTemplated = workflow.spec?.bootOptions?.bootMode === 'customboot' && urls.some((one) => one !== '');
  if (!isTemplated) return { ok: true, value: actions } as const;
  const rendered = await deps.rendering.texts(workflow, hardware, urls);
  if (!rendered.ok) return rendered;
  const value = actions.map(({ virtualMediaAction: media, ...other }, i) =>
    media === undefined ? other : { virtualMediaAction: { ...media, mediaURL: rendered.value[i] ?? '' } },
  );
  return { ok: true, value } as const;
}

/** Checks the Job once. Its next change, or the time limit for a BMC service to start it, triggers the next check. */
export async function followBootJob(
  deps: BootDeps,
  workflow: Workflow,
  { job, uid, phase }: Extract<Effect, { kind: 'follow-boot-job' }>,
): Promise<Again | 'changed'> {
  const object = (await jobs.get(deps.store, jobKey(workflow, job)))?.object;
  const failed = (message: string): Promise<boolean> =>
    fail(deps, workflow, { phase, condition: 'BootJobFailed', status: 'True', message });
  if (object === undefined || object.metadata.uid !== uid)
    return changedIf(await failed(`job ${job} was deleted before it ended`));
  const note = async (kind: 'boot-job-completed' | 'boot-job-started' | 'boot-job-neglected') =>
    changedIf(await apply(deps, workflow, { kind, job }));
  switch (bootJobProgress(object)) {
    case 'failed':
      return changedIf(await failed(failureOf(object)));
    case 'completed':
      return note('boot-job-completed');
    case 'running':
      return note('boot-job-started');
    case 'untaken': {
      const atMs = Date.parse(object.metadata.creationTimestamp ?? '') + UNTAKEN_MS;
      return atMs > deps.clock.nowMs() ? { atMs } : note('boot-job-neglected');
    }
  }
}

/** Upstream reports only `job failed`. */
function failureOf(job: BmcJob): string {
  const why = job.status?.conditions?.find((one) => one.type === 'Failed')?.message ?? '';
  return why === '' ? 'job failed' : `job failed: ${why}`;
}

function fail(
  deps: BootDeps,
  workflow: Workflow,
  { phase, ...failure }: BootFailure & { readonly phase: BootPhase },
): Promise<boolean> {
  const kind = phase === 'preparing' ? 'preparation-failed' : 'post-failed';
  const event: WorkflowEvent = { kind, ...failure };
  return apply(deps, workflow, event);
}

function changedIf(changed: boolean): 'changed' | undefined {
  return changed ? 'changed' : undefined;
}

function jobKey(workflow: Workflow, name: string): ObjectKey {
  return { collection: jobCollection, namespace: workflow.metadata.namespace, name };
}
