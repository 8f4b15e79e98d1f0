/** Creates a job from a request: one Workflow, created once, and one unfinished job per device. */
import { createHash } from 'node:crypto';
import {
  chooseTemplate,
  findDevice,
  isUnrenderable,
  jobIdFromDigest,
  jobOf,
  parametersFor,
  REQUEST_ANNOTATION,
  textOfOrder,
  workflowFor,
  workflowNameOf,
  type Job,
  type Order,
} from '@tinkerbell/provisioning';
import type { Workflow } from '@tinkerbell/resources';
import { subjectOf } from '@tinkerbell/engine-workflow-events';
import { ulid } from '@tinkerbell/workflow';
import { RpcError } from '../grpc/rpc-error.ts';
import { withIdentity } from '../new-object.ts';
import type { Identity } from './access.ts';
import { cancelWorkflow } from './change-job.ts';
import {
  claim,
  deviceNamed,
  hardwareIn,
  permit,
  templatesIn,
  unfinishedJobs,
  storedJob,
  type Device,
  type ProvisioningDeps,
} from './job-store.ts';
import { RefusedRequest, valueOf } from './refused-request.ts';

/** The number of consecutive conflicts with other writers of the same Hardware. */
const TRIES = 10;

export interface JobOrder {
  readonly order: Order;
  readonly identity: Identity;
  /** The caller's names of the parameters. */
  readonly field: 'config' | 'parameters';
}

export interface MadeJob {
  readonly job: Job;
  /** True if an earlier request with the same key created it. */
  readonly isRepeat: boolean;
}

interface Draft extends JobOrder {
  readonly jobId: string;
  readonly digest: string;
}

/** Durable when it resolves. Rejects with an RpcError. */
export async function createJob(deps: ProvisioningDeps, ordered: JobOrder): Promise<MadeJob> {
  const draft: Draft = {
    ...ordered,
    jobId: newId(deps, ordered),
    digest: sha256(textOfOrder(ordered.order)).toHex(),
  };
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const known = await madeBefore(deps, draft);
    if (known !== undefined) return { job: known, isRepeat: true };
    const made = await tryToMake(deps, draft);
    if (made !== undefined) return { job: made, isRepeat: false };
  }
  throw new RpcError('aborted', `device ${ordered.order.device} is being changed by others; try again`);
}

/** Keys are per user: the same key of two users means two jobs. */
function newId({ clock, random }: ProvisioningDeps, { order, identity }: JobOrder): string {
  const { idempotencyKey } = order;
  return idempotencyKey === undefined
    ? ulid(clock.nowMs(), random.bytes(16))
    : jobIdFromDigest(sha256(JSON.stringify([identity.user, idempotencyKey])));
}

function sha256(text: string): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(text).digest());
}

/** Throws when the key was used for a different request. */
async function madeBefore(deps: ProvisioningDeps, { order, jobId, digest }: Draft): Promise<Job | undefined> {
  if (order.idempotencyKey === undefined) return undefined;
  const stored = await storedJob(deps, workflowNameOf(jobId));
  const job = stored === undefined ? undefined : jobOf(stored.object);
  if (stored === undefined || job === undefined) return undefined;
  if (stored.object.metadata.annotations?.[REQUEST_ANNOTATION] === digest) return job;
  throw new RefusedRequest({
    code: 'already-exists',
    message: `idempotency_key: job ${job.job_id} was made with this key by a different request; use another key`,
    field: 'idempotency_key',
  });
}

/** Undefined after a conflict with another writer. */
async function tryToMake(deps: ProvisioningDeps, draft: Draft): Promise<Job | undefined> {
  const { order, identity, field, jobId, digest } = draft;
  const found = valueOf(findDevice(order.device, hardwareIn(deps)));
  permit(deps, identity, found);
  const template = valueOf(chooseTemplate(order.choice, templatesIn(deps)));
  const device = await deviceNamed(deps, found.metadata.name);
  const hardwareMap = valueOf(parametersFor(order.parameters, device.hardware, field));
  await makeWay(deps, device, draft);
  const workflow = workflowFor({
    jobId,
    hardware: device.hardware,
    template,
    choice: order.choice,
    user: identity.user,
    hardwareMap,
    requestDigest: order.idempotencyKey === undefined ? undefined : digest,
  });
  return write(deps, device, workflow);
}

/** Ensures that no other job of the device is unfinished, or throws. */
async function makeWay(
  deps: ProvisioningDeps,
  device: Device,
  { order, identity, jobId }: Draft,
): Promise<void> {
  for (const workflow of await unfinishedJobs(deps, device, workflowNameOf(jobId))) {
    const other = jobOf(workflow);
    if (!order.replace && !isUnrenderable(workflow.status ?? {}))
      throw new RefusedRequest({
        code: 'failed-precondition',
        message: `device_id: ${device.hardware.metadata.name} has the unfinished job ${other?.job_id} (${other?.state}); cancel it, or set replace`,
        field: 'device_id',
      });
    await cancelWorkflow(deps, workflow, { who: identity.user, why: `replaced by job ${jobId}` });
  }
}

async function write(deps: ProvisioningDeps, device: Device, made: Workflow): Promise<Job | undefined> {
  const prepared = withIdentity(deps, made);
  if (!prepared.ok) throw new RpcError('invalid-argument', prepared.message);
  const { key, object } = prepared;
  const job = jobOf(object);
  if (job === undefined) throw new Error(`${object.metadata.name} is not a job`);
  const result = await deps.store.commit([{ operation: 'create', key, object }, claim(device, job.job_id)]);
  if (result.ok) {
    const message = `job ${job.job_id} of ${job.user}: ${job.template} on ${job.device_id}`;
    deps.journal.append({
      source: 'workflow',
      ...subjectOf(deps.view, object),
      event: 'job-accepted',
      message,
    });
    return job;
  }
  if (result.reason === 'unavailable') throw new RpcError('unavailable', result.message);
  return undefined;
}
