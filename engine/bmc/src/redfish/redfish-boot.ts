import { overrideFor, settingFrom } from '@tinkerbell/bmc';
import { BmcError } from '../bmc-error.ts';
import type { BootSetting } from '../driver.ts';
import { patch, readSystem, type RedfishMachine } from './redfish-machine.ts';
import { RefusalError } from './refusal.ts';

const MODE = 'BootSourceOverrideMode';

export async function writeBoot(machine: RedfishMachine, setting: BootSetting): Promise<void> {
  const { resource, system } = await readSystem(machine);
  if (system.boot === undefined) throw new BmcError('unsupported', 'the BMC cannot set the boot device');
  const change = overrideFor(setting, system.boot, machine.vendor);
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
  const read = settingFrom((await readSystem(machine)).system.boot, efiBoot);
  switch (read.kind) {
    case 'setting':
      return read.setting;
    case 'not-reported':
      return undefined;
    case 'other':
      throw new BmcError('unsupported', `the BMC boots from ${read.target}, which is not a device of a Task`);
  }
}
