/** Cancels and retries jobs. The state machine decides. */
import { isUnrenderable, jobOf, type ChangeJobRequest, type Job } from '@tinkerbell/provisioning';
import type { Workflow } from '@tinkerbell/resources';
import { applyWorkflowEvent, recordStateChange } from '@tinkerbell/engine-workflow-events';
import { needsPreparation, reasonText, transition, ulid, type Reason } from '@tinkerbell/workflow';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Identity } from './access.ts';
import {
  claim,
  deviceNamed,
  jobNamed,
  permit,
  unfinishedJobs,
  storedJob,
  type Device,
  type ProvisioningDeps,
} from './job-store.ts';

interface Operator {
  readonly who: string;
  readonly why: string;
}

/** The number of consecutive conflicts with other writers of the same objects. */
const TRIES = 5;

/** A cancelled job stays cancelled, because an answer may have been lost. */
export async function cancelJob(
  deps: ProvisioningDeps,
  request: ChangeJobRequest,
  identity: Identity,
): Promise<Job> {
  const { workflow, job } = await jobNamed(deps, request.job_id);
  permitJob(deps, identity, workflow);
  const after = await cancelWorkflow(deps, workflow, operatorOf(identity, request));
  const cancelled = jobOf(after) ?? job;
  if (cancelled.state !== 'CANCELLED')
    throw new RpcError('failed-precondition', `job ${job.job_id} has ended: ${cancelled.state}`);
  return cancelled;
}

/** Returns the Workflow afterwards: cancelled, or as it ended. */
export async function cancelWorkflow(
  deps: ProvisioningDeps,
  { metadata }: Workflow,
  operator: Operator,
): Promise<Workflow> {
  const applied = await applyWorkflowEvent(deps, metadata, {
    kind: 'cancel',
    ...operator,
  });
  if (applied.ok) {
    const { before, after } = applied;
    recordStateChange(deps, { before, after, why: whyOf('cancelled', operator) });
    return after;
  }
  if (applied.kind === 'refused') return applied.object;
  throw new RpcError(applied.kind === 'not-found' ? 'not-found' : 'unavailable', applied.message);
}

/**
 * Retries from the failed action. A job whose Template cannot be rendered is rendered again when one of its dependencies changes.
 */
export async function retryJob(
  deps: ProvisioningDeps,
  request: ChangeJobRequest,
  identity: Identity,
): Promise<Job> {
  const { workflow } = await jobNamed(deps, request.job_id);
  permitJob(deps, identity, workflow);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const device = await deviceNamed(deps, workflow.spec?.hardwareRef ?? '');
    await refuseBeside(deps, device, workflow);
    const retried = await tryToRetry(deps, device, { ...request, identity, name: workflow.metadata.name });
    if (retried !== undefined) return retried;
  }
  throw new RpcError('aborted', `job ${request.job_id} is being changed by others; try again`);
}

async function refuseBeside(deps: ProvisioningDeps, device: Device, { metadata }: Workflow): Promise<void> {
  const [other] = await unfinishedJobs(deps, device, metadata.name);
  const job = other === undefined ? undefined : jobOf(other);
  if (job === undefined) return;
  throw new RpcError(
    'failed-precondition',
    `device ${job.device_id} has the unfinished job ${job.job_id} (${job.state}); cancel it first`,
  );
}

interface Retry extends ChangeJobRequest {
  readonly identity: Identity;
  readonly name: string;
}

/** Undefined after a conflict with another writer. */
async function tryToRetry(
  deps: ProvisioningDeps,
  device: Device,
  { identity, name, ...request }: Retry,
): Promise<Job | undefined> {
  const stored = await storedJob(deps, name);
  if (stored === undefined) throw new RpcError('not-found', `there is no job ${request.job_id}`);
  const { key, object: before } = stored;
  if (isUnrenderable(before.status ?? {})) return jobOf(before);
  const operator = operatorOf(identity, request);
  const after = retried(deps, before, operator);
  const update = { operation: 'update', key, object: after, expectedRevision: stored.revision } as const;
  const result = await deps.store.commit([update, claim(device, jobOf(before)?.job_id ?? '')]);
  if (result.ok) {
    recordStateChange(deps, { before, after, why: whyOf('retried', operator) });
    return jobOf(after);
  }
  if (result.reason === 'unavailable') throw new RpcError('unavailable', result.message);
  return undefined;
}

function retried({ clock, random }: ProvisioningDeps, workflow: Workflow, operator: Operator): Workflow {
  const nowMs = clock.nowMs();
  const next = transition(
    workflow.status ?? {},
    { kind: 'retry', from: 'failed', needsPreparation: needsPreparation(workflow), ...operator },
    { nowMs, nextId: () => ulid(nowMs, random.bytes(16)) },
  );
  if (next.ok) return { ...workflow, status: next.status };
  throw new RpcError('failed-precondition', retryRefusal(next.reason, jobOf(workflow)));
}

function retryRefusal(reason: Reason, job: Job | undefined): string {
  const about = `job ${job?.job_id ?? ''} is ${job?.state ?? ''}`;
  return reason === 'not-finished' ? `${about}; cancel it first` : `${about}: ${reasonText(reason)}`;
}

/** A machine that is no longer registered has nothing left to permit. */
function permitJob(deps: ProvisioningDeps, identity: Identity, { metadata, spec }: Workflow): void {
  const hardware = deps.view.hardwareNamed(metadata.namespace, spec?.hardwareRef ?? '');
  if (hardware !== undefined) permit(deps, identity, hardware);
}

function operatorOf({ user }: Identity, { reason = '' }: ChangeJobRequest): Operator {
  return { who: plain(user), why: plain(reason) };
}

/** A line that does not move the cursor. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ').trim();
}

function whyOf(what: string, { who, why }: Operator): string {
  return `${what} by ${who}${why === '' ? '' : `: ${why}`}`;
}
