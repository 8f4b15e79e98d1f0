import { realpath } from 'node:fs/promises';

import type { EnvironmentReader } from './environment.ts';
import { assertBlockDevice } from './block-device.ts';
import { openWholeDisk } from './whole-disk.ts';

/** More disks than any machine has. */
const DEVICES_MAX = 256;

/** Reads a required list of paths with commas between them. */
export function readDevices(read: EnvironmentReader, name: string, meaning: string): readonly string[] {
  const paths = read
    .required(name, meaning)
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  for (const path of paths)
    if (!/^\/[\x21-\x7e]+$/.test(path))
      read.problem(`${name}: ${path} must be an absolute path, such as /dev/sda`);
  if (new Set(paths).size < paths.length) read.problem(`${name} names a device twice`);
  if (paths.length > DEVICES_MAX) read.problem(`${name} names more than ${DEVICES_MAX} devices`);
  return paths;
}

/**
 * Waits for the devices, and returns their own paths: `/dev/disk/by-id/...` leads to `/dev/sda`.
 *
 * @throws ActionError when one is absent.
 */
export async function presentDevices(paths: readonly string[]): Promise<readonly string[]> {
  for (const path of paths) await assertBlockDevice(path);
  return Promise.all(paths.map(ownPath));
}

/** Returns the path that the kernel uses: `/dev/mapper/root` is `/dev/dm-0`. An absent device keeps its path. */
export function ownPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** @throws ActionError when a device is mounted, or belongs to something that is active. */
export async function assertUnused(device: string): Promise<void> {
  await (await openWholeDisk(device)).close();
}
