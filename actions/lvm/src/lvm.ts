import {
  ActionError,
  assertInstalled,
  assertUnused,
  defineAction,
  diskSignatures,
  ensureSegment,
  mustRun,
  ownPath,
  presentDevices,
  requireKernelDevices,
  wipeSignatures,
  type ActionContext,
} from '@tinkerbell/action-kit';

import { commandOf, LVM_ENVIRONMENT, lvmArguments } from './lvm-command.ts';
import { lvmReport } from './lvm-report.ts';
import { planGroup, type LvmFacts, type LvmStep } from './plan-group.ts';
import { readSettings, type Settings } from './settings.ts';

/** Creates a volume group. Variables: VOLUME_GROUP, PHYSICAL_VOLUMES, LOGICAL_VOLUMES, WIPE, ACTIVATE. */
export const lvmAction = defineAction('lvm', async (environment, context) => {
  const settings = readSettings(environment);
  const { group, activate } = settings;
  await ensureSegment('lvm', context);
  await assertInstalled('lvm', 'lvm2');
  await assertInstalled('wipefs', 'util-linux');
  if (activate) await requireKernelDevices('device-mapper', context);
  const devices = await presentDevices(settings.devices);
  const plan = planGroup(settings, await readFacts(settings, devices, context));
  if (!plan.ok) throw new ActionError(`lvm: ${plan.error}`);
  await performAll(plan.steps, activate, context);
  if (activate) await run(lvmArguments(['vgchange', '--activate', 'y', group], activate), context);
  const place = `the volume group ${group} on ${devices.join(', ')}`;
  return { message: plan.steps.length === 0 ? `${place} is as wanted` : `created ${place}` };
});

async function readFacts(
  { activate }: Settings,
  devices: readonly string[],
  context: ActionContext,
): Promise<LvmFacts> {
  const report = (command: 'pvs' | 'vgs' | 'lvs', ...fields: string[]) =>
    lvmReport({ command, fields, activate }, context);
  const physical = await report('pvs', 'pv_name', 'vg_name');
  const groups = await report('vgs', 'vg_name', 'vg_extent_size');
  const volumes = await report('lvs', 'vg_name', 'lv_name', 'lv_size');
  const facts: { path: string; signatures: readonly string[] }[] = [];
  for (const path of devices) facts.push({ path, signatures: await diskSignatures(path, context) });
  return {
    devices: facts,
    physicalVolumes: await Promise.all(
      physical.map(async (row) => ({
        path: await ownPath(row['pv_name'] ?? ''),
        group: row['vg_name'] ?? '',
      })),
    ),
    groups: new Map(groups.map((row) => [row['vg_name'] ?? '', Number(row['vg_extent_size'])])),
    volumes: volumes.map((row) => ({
      group: row['vg_name'] ?? '',
      name: row['lv_name'] ?? '',
      bytes: Number(row['lv_size']),
    })),
  };
}

/** Groups that are replaced come first: they hold their disks. Then all disks must be free before one is changed. */
async function performAll(
  steps: readonly LvmStep[],
  activate: boolean,
  context: ActionContext,
): Promise<void> {
  const isRemoval = (step: LvmStep): boolean => step.kind === 'remove-group';
  for (const step of steps.filter(isRemoval)) await perform(step, activate, context);
  for (const step of steps) if (step.kind === 'create-physical') await assertUnused(step.device);
  for (const step of steps.filter((one) => !isRemoval(one))) await perform(step, activate, context);
}

async function perform(step: LvmStep, activate: boolean, context: ActionContext): Promise<void> {
  if (step.kind === 'wipe') return wipeSignatures(step.device, context);
  context.progress({ message: stepText(step) });
  await run(commandOf(step, activate) ?? [], context);
}

function stepText(step: Exclude<LvmStep, { readonly kind: 'wipe' }>): string {
  switch (step.kind) {
    case 'remove-group':
      return `removing the volume group ${step.group}`;
    case 'create-physical':
      return `preparing ${step.device}`;
    case 'create-group':
      return `creating the volume group ${step.group}`;
    case 'create-volume':
      return `creating ${step.group}/${step.volume.name}`;
    default:
      return step satisfies never;
  }
}

async function run(command: readonly string[], { signal, log }: ActionContext): Promise<void> {
  await mustRun('lvm', command, { signal, log, environment: LVM_ENVIRONMENT });
}
