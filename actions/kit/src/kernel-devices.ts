import { readFile } from 'node:fs/promises';

import { ActionError } from './action-error.ts';
import type { ActionContext } from './action.ts';
import { runProgram } from './run-program.ts';

/** What a kernel may have as a module: how it is found, and what it is for. */
const DRIVERS = {
  'device-mapper': {
    module: 'dm_mod',
    file: '/proc/misc',
    line: /^\s*\d+ device-mapper$/m,
    option: 'CONFIG_BLK_DEV_DM',
  },
  'software RAID': {
    module: 'md_mod',
    file: '/proc/devices',
    line: /^\s*\d+ md$/m,
    option: 'CONFIG_BLK_DEV_MD',
  },
} as const;

export type KernelDriver = keyof typeof DRIVERS;

/**
 * Loads a driver of block devices if the kernel does not have it yet.
 *
 * @throws ActionError when it is not available.
 */
export async function requireKernelDevices(
  name: KernelDriver,
  { signal }: Pick<ActionContext, 'signal'>,
): Promise<void> {
  const { module, option } = DRIVERS[name];
  if (await hasKernelDevices(name)) return;
  await runProgram('modprobe', [module], { signal }).catch(() => undefined);
  if (await hasKernelDevices(name)) return;
  throw new ActionError(
    `the kernel of this system has no ${name}: it needs the module ${module} (${option})`,
  );
}

/** True if the driver is loaded or part of the kernel. */
export async function hasKernelDevices(name: KernelDriver): Promise<boolean> {
  const { file, line } = DRIVERS[name];
  return line.test(await readFile(file, 'utf8').catch(() => ''));
}
