/** Jobs and devices as they are stored. The view answers reads, and the store decides writes. */
import { isFinal, jobOf, LAST_JOB_ANNOTATION, workflowNameOf, type Job } from '@tinkerbell/provisioning';
import type { Clock, Log, Random, Slots } from '@tinkerbell/platform-contract';
import type { Hardware, Template, Workflow } from '@tinkerbell/resources';
import {
  hardwareCollection,
  templateCollection,
  workflowCollection,
  type Journal,
  type Store,
  type StoredObject,
  type View,
  type Write,
} from '@tinkerbell/store-contract';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Access, Identity } from './access.ts';

export interface ProvisioningDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly access: Access;
  /** The number of open watches of jobs. */
  readonly watchers: Slots;
  /** The namespace of Hardware, Templates and jobs. */
  readonly namespace: string;
}

export function hardwareIn({ view, namespace }: ProvisioningDeps): readonly Hardware[] {
  return hardwareCollection.all(view).filter(({ metadata }) => metadata.namespace === namespace);
}

export function templatesIn({ view, namespace }: ProvisioningDeps): readonly Template[] {
  return templateCollection.all(view).filter(({ metadata }) => metadata.namespace === namespace);
}

export function permit({ access }: ProvisioningDeps, identity: Identity, hardware: Hardware): void {
  if (access.mayProvision(identity, hardware)) return;
  throw new RpcError(
    'permission-denied',
    `${identity.user} may not provision ${hardware.metadata.namespace}/${hardware.metadata.name}`,
  );
}

export function storedJob(
  { store, namespace }: ProvisioningDeps,
  name: string,
): Promise<StoredObject<Workflow> | undefined> {
  return workflowCollection.get(store, { namespace, name });
}

/** The view may lack a job that was just created. Rejects with an RpcError `not-found`. */
export async function jobNamed(
  deps: ProvisioningDeps,
  jobId: string,
): Promise<{ readonly workflow: Workflow; readonly job: Job }> {
  const name = workflowNameOf(jobId);
  const seen = deps.view.workflowNamed(deps.namespace, name);
  const workflow = seen ?? (await storedJob(deps, name))?.object;
  const job = workflow === undefined ? undefined : jobOf(workflow);
  if (workflow === undefined || job === undefined)
    throw new RpcError('not-found', `there is no job ${jobId}`);
  return { workflow, job };
}

/** A Hardware as it is stored now, with the state of its last job, on which decisions depend. */
export interface Device {
  readonly hardware: Hardware;
  readonly revision: number;
}

export async function deviceNamed(deps: ProvisioningDeps, name: string): Promise<Device> {
  const stored = await hardwareCollection.get(deps.store, { namespace: deps.namespace, name });
  if (stored === undefined) throw new RpcError('not-found', `there is no Hardware ${deps.namespace}/${name}`);
  return { hardware: stored.object, revision: stored.revision };
}

/** Returns the unfinished jobs of a device, except `except`. The view may lag, so the last job is read from the store. */
export async function unfinishedJobs(
  deps: ProvisioningDeps,
  { hardware }: Device,
  except: string,
): Promise<readonly Workflow[]> {
  const { namespace, name, annotations } = hardware.metadata;
  const jobs = new Map(deps.view.workflowsByHardware(namespace, name).map((one) => [one.metadata.name, one]));
  const last = workflowNameOf(annotations?.[LAST_JOB_ANNOTATION] ?? '');
  const stored = await storedJob(deps, last);
  if (stored !== undefined) jobs.set(last, stored.object);
  return [...jobs.values()].filter((workflow) => {
    const job = jobOf(workflow);
    return job !== undefined && workflow.metadata.name !== except && isUnfinished(workflow, job);
  });
}

/** A job that cannot be rendered has failed, and would still run when an operator fixed its Template. */
function isUnfinished({ status }: Workflow, job: Job): boolean {
  return !isFinal(job.state) || (status?.state ?? '') === '';
}

/** Records the job as the last one of the device. If two jobs start at the same moment, one write is refused. */
export function claim({ hardware, revision }: Device, jobId: string): Write {
  const annotations = { ...hardware.metadata.annotations, [LAST_JOB_ANNOTATION]: jobId };
  return {
    operation: 'update',
    key: hardwareCollection.key(hardware.metadata),
    object: { ...hardware, metadata: { ...hardware.metadata, annotations } },
    expectedRevision: revision,
  };
}
