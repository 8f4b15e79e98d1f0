/**
 * The Jobs with which a BMC boots the machine of a workflow (upstream tink/controller/internal/workflow/pre.go, post.go, job.go).
 */
import type { BmcJob, Hardware, Workflow } from '@tinkerbell/resources';

type BmcAction = NonNullable<BmcJob['spec']>['tasks'][number];

/** The phase before the first action, or after the last one. */
export type BootPhase = 'preparing' | 'post';

/** The marks of its Job, as label and as annotation. */
const AUTO_CREATED = { 'tink-controller-auto-created': 'true' };

const EJECT: BmcAction = { virtualMediaAction: { mediaURL: '', kind: 'CD' } };

/** The prefix of the name of the phase's Job, by boot mode. `iso` is upstream's old name of `isoboot`. */
const namesOf: Readonly<Record<string, Readonly<Partial<Record<BootPhase, string>>>>> = {
  netboot: { preparing: 'netboot' },
  isoboot: { preparing: 'iso-mount', post: 'iso-eject' },
  iso: { preparing: 'iso-mount', post: 'iso-eject' },
  customboot: { preparing: 'customboot-preparing', post: 'customboot-post' },
};

/** Returns the name of the phase's Job, or undefined when the workflow needs none. */
export function bootJobName(workflow: Workflow, phase: BootPhase): string | undefined {
  const bootMode = workflow.spec?.bootOptions?.bootMode ?? '';
  const begin = namesOf[bootMode]?.[phase];
  if (begin === undefined) return undefined;
  const isEmpty = bootMode === 'customboot' && customActions(workflow, phase).length === 0;
  return isEmpty ? undefined : `${begin}-${workflow.metadata.name}`;
}

/** The reason why the Job is invalid. Message and condition are upstream's. */
export interface BootJobProblem {
  readonly message: string;
}

/** Returns the tasks of the phase's Job, with the media URLs of the workflow, which are still templates. */
export function bootJobActions(
  workflow: Workflow,
  phase: BootPhase,
  hardware: Hardware,
): readonly BmcAction[] | BootJobProblem {
  const { bootMode, isoURL = '' } = workflow.spec?.bootOptions ?? {};
  if (bootMode === 'customboot') return customActions(workflow, phase);
  if (phase === 'post') return [EJECT];
  if (bootMode === 'netboot') return bootOnceActions(hardware, 'pxe');
  if (isoURL === '') return { message: 'iso url must be a valid url' };
  return bootOnceActions(hardware, 'cdrom', [
    EJECT,
    { virtualMediaAction: { mediaURL: isoURL, kind: 'CD' } },
  ]);
}

function customActions(workflow: Workflow, phase: BootPhase): readonly BmcAction[] {
  const config = workflow.spec?.bootOptions?.custombootConfig;
  return (phase === 'preparing' ? config?.preparingActions : config?.postActions) ?? [];
}

/** Returns the operations that restart a machine from a device, once. `before` comes while it is off. */
export function bootOnceActions(
  { spec }: Hardware,
  device: 'pxe' | 'cdrom',
  before: readonly BmcAction[] = [],
): readonly BmcAction[] {
  const efiBoot = (spec?.interfaces ?? []).some(({ dhcp }) => dhcp?.uefi === true);
  const oneTimeBootDeviceAction = { device: [device], efiBoot };
  return [{ powerAction: 'off' }, ...before, { oneTimeBootDeviceAction }, { powerAction: 'on' }];
}

/** Returns the Job to create, or the reason why it is invalid. The store or the caller assigns uid and creation time. */
export function bootJobOf(
  workflow: Workflow,
  hardware: Hardware,
  { name, tasks }: { readonly name: string; readonly tasks: readonly BmcAction[] },
): BmcJob | BootJobProblem {
  const machine = hardware.spec?.bmcRef?.name;
  if (machine === undefined || machine === '')
    return { message: `hardware "${hardware.metadata.name}" does not have a BMC` };
  const { namespace, name: owner, uid = '' } = workflow.metadata;
  return {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Job',
    metadata: {
      name,
      namespace,
      labels: AUTO_CREATED,
      annotations: AUTO_CREATED,
      ownerReferences: [
        {
          apiVersion: 'tinkerbell.org/v1alpha1',
          kind: 'Workflow',
          name: owner,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { machineRef: { name: machine, namespace }, tasks: [...tasks] },
  };
}

/** Returns the progress of a Job, by its conditions. */
export function bootJobProgress(job: BmcJob): 'untaken' | 'running' | 'completed' | 'failed' {
  const holds = (type: string): boolean =>
    (job.status?.conditions ?? []).some((one) => one.type === type && one.status === 'True');
  if (holds('Failed')) return 'failed';
  if (holds('Completed')) return 'completed';
  const isTaken = job.status?.startTime !== undefined || (job.status?.conditions ?? []).length > 0;
  return isTaken ? 'running' : 'untaken';
}
