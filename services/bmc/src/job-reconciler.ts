/** Runs the Tasks of a Job one after the other. Every step is derived from the stored objects, so that it may be repeated. */
import { hasEnded, jobStepFor, taskFor, taskNameOf, withCondition, type JobStep } from '@tinkerbell/bmc';
import type { Again } from '@tinkerbell/engine-work-queue';
import { uidOf, type BmcJob } from '@tinkerbell/resources';
import type { NamespacedName } from '@tinkerbell/store-contract';
import { jobCollection, machineCollection, taskCollection } from './collections.ts';
import type { Reconciling } from './config.ts';
import { timeOf } from './status-times.ts';
import { recordForMachine } from './timeline.ts';

type JobStatus = NonNullable<BmcJob['status']>;

/** A Machine may be applied after its Job. */
const MACHINE_AGAIN_MS = 5000;

export async function reconcileJob(deps: Reconciling, place: NamespacedName): Promise<Again> {
  const job = (await jobCollection.get(deps.store, place))?.object;
  if (job === undefined) return undefined;
  const tasks = taskCollection
    .all(deps.view)
    .filter(({ metadata }) => metadata.namespace === place.namespace);
  const step = jobStepFor(job, tasks);
  switch (step.kind) {
    case 'wait':
      return undefined;
    case 'start':
      return await start(deps, place);
    case 'create-task':
      return await createTask(deps, job, step.index);
    case 'remove-task':
      return await removeTask(deps, { namespace: place.namespace, name: step.name });
    case 'complete':
    case 'fail':
      return await end(deps, job, step);
  }
}

async function start(deps: Reconciling, place: NamespacedName): Promise<Again> {
  const { clock } = deps;
  await updateStatus(deps, place, (status) => ({
    ...status,
    startTime: status.startTime ?? timeOf(clock.nowMs()),
    conditions: withCondition(status.conditions, { type: 'Running', status: 'True' }),
  }));
  return { atMs: clock.nowMs() };
}

async function createTask(deps: Reconciling, job: BmcJob, index: number): Promise<Again> {
  const { namespace } = job.metadata;
  const machineRef = job.spec?.machineRef ?? { namespace, name: '' };
  const machine = (await machineCollection.get(deps.store, machineRef))?.object;
  if (machine === undefined) return await waitForMachine(deps, job, machineRef);
  const task = taskFor(job, index, machine);
  if (task === undefined) return undefined;
  const metadata = {
    ...task.metadata,
    uid: uidOf(deps.random.bytes(16)),
    creationTimestamp: timeOf(deps.clock.nowMs()),
    generation: 1,
  };
  const key = taskCollection.key({ namespace, name: taskNameOf(job, index) });
  const result = await deps.store.commit([{ operation: 'create', key, object: { ...task, metadata } }]);
  // A view that is behind leads to a second try, which changes nothing.
  if (!result.ok && result.reason !== 'already-exists') throw new Error(result.message);
  return undefined;
}

async function waitForMachine(deps: Reconciling, job: BmcJob, machine: NamespacedName): Promise<Again> {
  const message = `waiting for Machine ${machine.namespace}/${machine.name}, which does not exist; create it or delete this Job`;
  await updateStatus(deps, job.metadata, (status) => ({
    ...status,
    conditions: withCondition(status.conditions, { type: 'Running', status: 'True', message }),
  }));
  return { atMs: deps.clock.nowMs() + MACHINE_AGAIN_MS };
}

async function removeTask(deps: Reconciling, place: NamespacedName): Promise<Again> {
  const stored = await taskCollection.get(deps.store, place);
  if (stored !== undefined)
    await deps.store.commit([{ operation: 'delete', key: stored.key, expectedRevision: stored.revision }]);
  return { atMs: deps.clock.nowMs() };
}

async function end(
  deps: Reconciling,
  job: BmcJob,
  step: Extract<JobStep, { kind: 'complete' | 'fail' }>,
): Promise<Again> {
  const hasFailed = step.kind === 'fail';
  const updated = await updateStatus(deps, job.metadata, (status) => ({
    ...status,
    ...(hasFailed ? {} : { completionTime: timeOf(deps.clock.nowMs()) }),
    conditions: withCondition(
      status.conditions,
      hasFailed
        ? { type: 'Failed', status: 'True', message: step.message }
        : { type: 'Completed', status: 'True' },
    ),
  }));
  if (!updated) return undefined;
  const { namespace, name } = job.metadata;
  const text = hasFailed ? `failed: ${step.message}` : 'completed';
  recordForMachine(deps, job.spec?.machineRef ?? { namespace, name: '' }, {
    event: hasFailed ? 'bmc-job-failed' : 'bmc-job-completed',
    message: `BMC Job ${name} ${text}`,
    details: { job: `${namespace}/${name}` },
  });
  return undefined;
}

/** Returns false when the Job has ended meanwhile, is gone, or has this status. */
async function updateStatus(
  deps: Reconciling,
  place: NamespacedName,
  change: (status: JobStatus) => JobStatus,
): Promise<boolean> {
  const { namespace, name } = place;
  const updated = await jobCollection.update<'ended'>(deps.store, { namespace, name }, (job) => {
    if (hasEnded(job.status)) return { refusal: 'ended' };
    const status = change(job.status ?? {});
    return JSON.stringify(status) === JSON.stringify(job.status)
      ? { refusal: 'ended' }
      : { object: { ...job, status } };
  });
  if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
  return updated.ok;
}
