import {
  ActionError,
  assertInstalled,
  assertNotStopped,
  assertUnused,
  defineAction,
  diskSignatures,
  ensureSegment,
  mustRun,
  ownPath,
  presentDevices,
  programText,
  requireKernelDevices,
  wipeSignatures,
  type ActionContext,
} from '@tinkerbell/action-kit';

import { activeIn, arrayIn } from './mdadm-export.ts';
import { planArray, type MemberFacts, type RaidFacts, type RaidStep } from './plan-array.ts';
import { readSettings, type Settings } from './settings.ts';

/** Without udev, mdadm makes the files in /dev by itself. */
const ENVIRONMENT = { MDADM_NO_UDEV: '1' } as const;

/** Creates a RAID array. Variables: ARRAY, LEVEL, DEVICES, SPARES, METADATA, CHUNK_KIB, WIPE. */
export const mdraidAction = defineAction('mdraid', async (environment, context) => {
  const given = readSettings(environment);
  await ensureSegment('mdraid', context);
  await assertInstalled('mdadm', 'mdadm');
  await assertInstalled('wipefs', 'util-linux');
  await requireKernelDevices('software RAID', context);
  const settings = { ...given, devices: await presentDevices(given.devices) };
  const plan = planArray(settings, await readFacts(settings, context));
  if (!plan.ok) throw new ActionError(`mdraid: ${plan.error}`);
  for (const step of plan.steps) await perform(step, settings, context);
  const place = `${settings.array} (RAID ${settings.level}) of ${settings.devices.join(', ')}`;
  if (plan.steps.includes('create')) return { message: `created ${place}` };
  return { message: plan.steps.length === 0 ? `${place} is as wanted` : `assembled ${place}` };
});

async function readFacts({ array, devices }: Settings, context: ActionContext): Promise<RaidFacts> {
  const members: MemberFacts[] = [];
  for (const path of devices) {
    const signatures = await diskSignatures(path, context);
    members.push({ path, signatures, memberOf: arrayIn(await exported(['--examine', path], context)) });
  }
  const active = activeIn(await exported(['--detail', array], context));
  if (active === undefined) return { members, active };
  return { members, active: { ...active, members: await Promise.all(active.members.map(ownPath)) } };
}

/** A device without an array is a failure of mdadm. */
async function exported(words: readonly string[], { signal }: ActionContext): Promise<string> {
  const options = { signal, environment: ENVIRONMENT };
  const text = await programText('mdadm', [...words, '--export'], options).catch(() => '');
  assertNotStopped(signal);
  return text;
}

async function perform(step: RaidStep, settings: Settings, context: ActionContext): Promise<void> {
  const { array, devices } = settings;
  const run = async (...words: readonly string[]): Promise<void> => {
    const { signal, log } = context;
    await mustRun('mdadm', words, { signal, log, environment: ENVIRONMENT });
  };
  switch (step) {
    case 'stop':
      return run('--stop', array);
    case 'wipe':
      for (const device of devices) await assertUnused(device);
      for (const device of devices) await wipeSignatures(device, context);
      return undefined;
    case 'assemble':
      context.progress({ message: `assembling ${array}` });
      return run('--assemble', '--run', array, ...devices);
    case 'create':
      for (const device of devices) await assertUnused(device);
      context.progress({ message: `creating ${array}` });
      await run(...createArguments(settings));
      // The members may have had a file system at the place where the array now begins.
      return wipeSignatures(array, context);
    default:
      return step satisfies never;
  }
}

/** `--run` starts the array without a question. */
export function createArguments(settings: Settings): readonly string[] {
  const { array, level, devices, spares, metadata, chunkKib } = settings;
  return [
    '--create',
    array,
    '--run',
    '--homehost=any',
    `--metadata=${metadata}`,
    `--level=${level}`,
    `--raid-devices=${devices.length - spares}`,
    ...(spares === 0 ? [] : [`--spare-devices=${spares}`]),
    ...(chunkKib === undefined ? [] : [`--chunk=${chunkKib}`]),
    ...devices,
  ];
}
