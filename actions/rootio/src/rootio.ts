import { defineAction, type ActionContext } from '@tinkerbell/action-kit';

import type { DiskLayout } from './disk-layout.ts';
import { fetchLayout } from './fetch-layout.ts';
import { partitionDisk, wipeDisk } from './partition-disk.ts';
import { readCommand, readSettings, type RootioCommand } from './settings.ts';
import { formatDevice, mountDevice } from './use-file-system.ts';

/**
 * Prepares the disks of the machine as its metadata describes. The template's `command` selects the work. Unlike
 * upstream's, it ends at the first failure, because what follows would write to the wrong place.
 */
export const rootioAction = defineAction('rootio', async (environment, context) => {
  const command = readCommand(context.command);
  if (command === 'version') return { message: 'rootio, built into the Tinkerbell agent' };
  const settings = readSettings(environment);
  const layout = await fetchLayout(settings, context);
  const done = await runCommand({ command, layout, table: settings.table }, context);
  return { message: done.length === 0 ? `nothing to ${command}` : `${command}: ${done.join(', ')}` };
});

interface Work {
  readonly command: Exclude<RootioCommand, 'version'>;
  readonly layout: DiskLayout;
  readonly table: 'gpt' | 'mbr';
}

/** Returns the devices, in order. */
async function runCommand(work: Work, context: ActionContext): Promise<readonly string[]> {
  const { disks, fileSystems } = work.layout;
  switch (work.command) {
    case 'partition':
      for (const disk of disks) {
        context.progress({ message: `partitioning ${disk.device}` });
        await partitionDisk(disk, work.table, context);
      }
      return disks.map(({ device }) => device);
    case 'wipe':
      for (const { device } of disks) {
        context.progress({ message: `wiping ${device}` });
        await wipeDisk(device, context);
      }
      return disks.map(({ device }) => device);
    case 'format':
      for (const fileSystem of fileSystems) {
        context.progress({ message: `formatting ${fileSystem.device} as ${fileSystem.format}` });
        await formatDevice(fileSystem, context);
      }
      return fileSystems.map(({ device, format }) => `${device} (${format})`);
    case 'mount':
      for (const fileSystem of fileSystems) await mountDevice(fileSystem, context);
      return fileSystems.map(({ device, point }) => `${device} at ${point || 'swap'}`);
    default:
      return work.command satisfies never;
  }
}
