import { overrideFor, settingFrom, type BootSetting } from '@tinkerbell/bmc';
import { bootOfSettings, type BootOverride } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import type { Resource } from './redfish-exchange.ts';
import { patch, readSystem, type RedfishMachine } from './redfish-machine.ts';
import { RefusalError } from './refusal.ts';

const MODE = 'BootSourceOverrideMode';

interface Override {
  /** The resource to change. */
  readonly resource: Resource;
  readonly boot: BootOverride | undefined;
}

/**
 * AMI firmware (ASRock WRX80) refuses a change of the system with OperationSupportedInFutureStateURI, and takes it in its settings
 * (DMTF Redfish-Tacklebox issue 144). Those list no allowed values, so the ones of the system count.
 */
async function readOverride(machine: RedfishMachine): Promise<Override> {
  const { resource, system } = await readSystem(machine);
  if (system.settings === undefined) return { resource, boot: system.boot };
  const settings = await readIfPresent(machine, system.settings);
  const boot = settings === undefined ? undefined : bootOfSettings(settings.fields);
  if (settings === undefined || boot === undefined) return { resource, boot: system.boot };
  return {
    resource: settings,
    boot: { ...boot, allowedTargets: boot.allowedTargets ?? system.boot?.allowedTargets },
  };
}

async function readIfPresent({ connection }: RedfishMachine, path: string): Promise<Resource | undefined> {
  try {
    return await connection.get(path);
  } catch (thrown) {
    if (thrown instanceof BmcError && thrown.code === 'unsupported') return undefined;
    throw thrown;
  }
}

export async function writeBoot(machine: RedfishMachine, setting: BootSetting): Promise<void> {
  const { resource, boot } = await readOverride(machine);
  if (boot === undefined) throw new BmcError('unsupported', 'the BMC cannot set the boot device');
  const change = overrideFor(setting, boot, machine.vendor);
  if (!change.ok) throw new BmcError('unsupported', change.message);
  try {
    await patch(machine, resource, { Boot: change.boot });
  } catch (thrown) {
    if (!(MODE in change.boot) || !isAboutMode(thrown)) throw thrown;
    const { [MODE]: _, ...rest } = change.boot;
    // Firmware with one mode only refuses the other. The read-back reports the mode.
    await patch(machine, resource, { Boot: rest });
  }
}

function isAboutMode(thrown: unknown): boolean {
  if (!(thrown instanceof RefusalError)) return false;
  return thrown.messages.some(({ text, about }) => [text, ...about].some((one) => one.includes(MODE)));
}

/** `efiBoot` is assumed when the BMC does not report the mode. */
export async function readBoot(machine: RedfishMachine, efiBoot: boolean): Promise<BootSetting | undefined> {
  const read = settingFrom((await readOverride(machine)).boot, efiBoot);
  switch (read.kind) {
    case 'setting':
      return read.setting;
    case 'not-reported':
      return undefined;
    case 'other':
      throw new BmcError('unsupported', `the BMC boots from ${read.target}, which is not a device of a Task`);
  }
}
