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
  runProgram,
  wipeSignatures,
  type ActionContext,
} from '@tinkerbell/action-kit';

import { keyBytes } from './key-bytes.ts';
import { planEncryption, type DeviceFacts, type EncryptionSteps } from './plan-encryption.ts';
import { readSettings, type Settings } from './settings.ts';

/** What cryptsetup returns for a key that opens nothing. */
const WRONG_KEY = 2;
/** What `cryptsetup status` returns for a name that nothing has. */
const INACTIVE = 4;
/** Without udev, cryptsetup makes the files in /dev by itself. The key of a container's environment is not inherited. */
const ENVIRONMENT = { DM_DISABLE_UDEV: '1', KEY: '' } as const;

interface Work {
  readonly settings: Settings;
  /** Passed as standard input, where no other process can read it. */
  readonly key: Uint8Array;
}

/** Encrypts a device with LUKS2. Variables: DEVICE, KEY or KEY_FILE, NAME, LABEL, WIPE, ITERATION_MS. */
export const luksAction = defineAction('luks', async (environment, context) => {
  const given = readSettings(environment);
  await ensureSegment('luks', context);
  await assertInstalled('cryptsetup', 'cryptsetup-bin');
  await assertInstalled('wipefs', 'util-linux');
  if (given.name !== undefined) await requireKernelDevices('device-mapper', context);
  const [device = ''] = await presentDevices([given.device]);
  const work: Work = { settings: { ...given, device }, key: await keyBytes(given.key) };
  const plan = planEncryption(work.settings, await readFacts(work, context));
  if (!plan.ok) throw new ActionError(`luks: ${plan.error}`);
  await perform(work, plan.steps, context);
  const place = given.name === undefined ? device : `${device} as /dev/mapper/${given.name}`;
  if (plan.steps.format) return { message: `encrypted ${place}` };
  return { message: plan.steps.open ? `opened ${place}` : `${place} is as wanted` };
});

async function readFacts({ settings, key }: Work, context: ActionContext): Promise<DeviceFacts> {
  const { device, name } = settings;
  const { signal } = context;
  const options = { signal, environment: ENVIRONMENT };
  const isLuks = (await runProgram('cryptsetup', ['isLuks', device], options)).code === 0;
  return {
    signatures: await diskSignatures(device, context),
    opensWithKey: isLuks ? await opens(device, key, context) : undefined,
    openedFrom: name === undefined ? undefined : await deviceBehind(name, context),
  };
}

async function opens(device: string, input: Uint8Array, { signal }: ActionContext): Promise<boolean> {
  const words = ['open', '--test-passphrase', '--key-file', '-', device];
  const { code, output } = await runProgram('cryptsetup', words, { signal, environment: ENVIRONMENT, input });
  if (code === 0 || code === WRONG_KEY) return code === 0;
  throw new ActionError(`luks: the key of ${device} cannot be tried: ${output.trim()}`);
}

async function deviceBehind(name: string, { signal }: ActionContext): Promise<string | undefined> {
  const { code, output } = await runProgram('cryptsetup', ['status', name], {
    signal,
    environment: ENVIRONMENT,
  });
  if (code === INACTIVE) return undefined;
  const [, device] = /^ *device: +(\S+)$/m.exec(output) ?? [];
  return device === undefined ? 'in use by something else' : ownPath(device);
}

async function perform(
  { settings, key }: Work,
  steps: EncryptionSteps,
  context: ActionContext,
): Promise<void> {
  const { device, name, label, iterationMs } = settings;
  const { signal, log } = context;
  const options = { signal, log, environment: ENVIRONMENT, input: key };
  if (steps.format) {
    context.progress({ message: `encrypting ${device}` });
    await assertUnused(device);
    await wipeSignatures(device, context);
    const words = ['luksFormat', '--type', 'luks2', '--batch-mode', '--key-file', '-'];
    const labels = label === undefined ? [] : ['--label', label];
    const time = ['--iter-time', String(iterationMs)];
    await mustRun('cryptsetup', [...words, ...time, ...labels, device], options);
  }
  if (!steps.open || name === undefined) return;
  context.progress({ message: `opening ${device}` });
  await mustRun('cryptsetup', ['open', '--type', 'luks', '--key-file', '-', device, name], options);
}
