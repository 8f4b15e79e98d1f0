/**
 * The next step of a BMC Job: its Tasks run one after the other, and the first failure ends it (upstream rufio/internal/controller
 * job.go). The step is derived from the Job and its Tasks, so that another server can continue it at any point.
 */
import {
  apiVersionOf,
  bmcJobKind,
  bmcTaskKind,
  type BmcJob,
  type BmcMachine,
  type BmcTask,
} from '@tinkerbell/resources';
import { CERTIFICATE_ANNOTATION } from '../pinned-connection.ts';
import { hasEnded, holds } from './conditions.ts';

export type JobStep =
  /** It has ended, is being deleted, or waits for a Task. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'start' }
  /** A Task with the name of one of ours, but of an earlier Job with the same name. */
  | { readonly kind: 'remove-task'; readonly name: string }
  | { readonly kind: 'create-task'; readonly index: number }
  | { readonly kind: 'complete' }
  | { readonly kind: 'fail'; readonly message: string };

/** `tasks` may contain Tasks of other Jobs. */
export function jobStepFor(job: BmcJob, tasks: readonly BmcTask[]): JobStep {
  if (hasEnded(job.status) || job.metadata.deletionTimestamp !== undefined) return { kind: 'wait' };
  if (!holds(job.status, 'Running')) return { kind: 'start' };
  const actions = job.spec?.tasks ?? [];
  for (const index of actions.keys()) {
    const name = taskNameOf(job, index);
    const task = tasks.find(({ metadata }) => metadata.name === name);
    if (task === undefined) return { kind: 'create-task', index };
    if (!isOwnedBy(task, job)) return { kind: 'remove-task', name };
    if (holds(task.status, 'Failed')) return { kind: 'fail', message: failureOf(task) };
    if (!holds(task.status, 'Completed')) return { kind: 'wait' };
  }
  return { kind: 'complete' };
}

/** Upstream's message, followed by the reason, which upstream leaves in the Task. */
function failureOf({ metadata, status }: BmcTask): string {
  const why = status?.conditions?.find(({ type }) => type === 'Failed')?.message ?? '';
  return `task ${metadata.namespace}/${metadata.name} failed${why === '' ? '' : `: ${why}`}`;
}

/** `<job>-task-<index from 0>` */
export function taskNameOf({ metadata }: BmcJob, index: number): string {
  return `${metadata.name}-task-${index}`;
}

function isOwnedBy({ metadata }: BmcTask, job: BmcJob): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === job.metadata.uid);
}

/** Returns the Task to create, with the Machine's connection and its pin. The caller assigns uid and creation time. */
export function taskFor(
  job: BmcJob,
  index: number,
  machine: Pick<BmcMachine, 'metadata' | 'spec'>,
): BmcTask | undefined {
  const connection = machine.spec?.connection;
  const pin = machine.metadata.annotations?.[CERTIFICATE_ANNOTATION];
  const task = job.spec?.tasks[index];
  if (task === undefined) return undefined;
  const { name, namespace, uid = '' } = job.metadata;
  return {
    apiVersion: apiVersionOf(bmcTaskKind),
    kind: bmcTaskKind.kind,
    metadata: {
      name: taskNameOf(job, index),
      namespace,
      labels: { 'owner-name': name },
      ...(pin === undefined ? {} : { annotations: { [CERTIFICATE_ANNOTATION]: pin } }),
      ownerReferences: [
        {
          apiVersion: apiVersionOf(bmcJobKind),
          kind: bmcJobKind.kind,
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { task, ...(connection === undefined ? {} : { connection }) },
  };
}
