import type { LvmStep } from './plan-group.ts';
import type { VolumeSize } from './settings.ts';

/** Without udev, LVM makes the files in /dev by itself. */
export const LVM_ENVIRONMENT = { LVM_SUPPRESS_FD_WARNINGS: '1', DM_DISABLE_UDEV: '1' } as const;
const NO_UDEV = 'activation/udev_sync=0 activation/udev_rules=0 devices/obtain_device_list_from_udev=0';

/** Without activation, the kernel's device-mapper is not used. */
export function lvmArguments(
  [command = '', ...rest]: readonly string[],
  activate: boolean,
): readonly string[] {
  return [command, '--config', NO_UDEV, ...(activate ? [] : ['--driverloaded', 'n']), ...rest];
}

/** Returns the arguments of `lvm` for a step. Undefined for `wipe`, which is not its work. */
export function commandOf(step: LvmStep, activate: boolean): readonly string[] | undefined {
  const all = (...words: string[]) => lvmArguments(words, activate);
  switch (step.kind) {
    case 'wipe':
      return undefined;
    case 'remove-group':
      return all('vgremove', '--force', '--force', '--yes', step.group);
    case 'create-physical':
      return all('pvcreate', '--yes', step.device);
    case 'create-group':
      return all('vgcreate', '--yes', step.group, ...step.devices);
    case 'create-volume': {
      // An old file system in the space of the volume is removed, which needs the volume to be active.
      const how = activate ? ['--wipesignatures', 'y'] : ['--activate', 'n', '--zero', 'n'];
      const wipe = activate ? [] : ['--wipesignatures', 'n'];
      const { name, size } = step.volume;
      return all('lvcreate', '--yes', ...how, ...wipe, '--name', name, ...sizeOf(size), step.group);
    }
    default:
      return step satisfies never;
  }
}

function sizeOf(size: VolumeSize): readonly string[] {
  if (size.kind === 'percent') return ['--extents', `${size.percent}%${size.of}`];
  return ['--size', `${size.bytes}b`];
}
