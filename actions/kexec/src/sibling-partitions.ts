import { access, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The limit of partitions to mount and search. Installed systems have few. */
const SIBLINGS_MAX = 32;

/**
 * Returns the other partitions on the same disk as a partition, as `/dev/...`. Returns none for anything but
 * a partition. The kernel has a folder for each below that of the disk
 * (Documentation/ABI/stable/sysfs-block).
 */
export async function siblingPartitions(
  device: string,
  classFolder = '/sys/class/block',
): Promise<readonly string[]> {
  const name = basename(await realpath(device).catch(() => device));
  const folder = await realpath(join(classFolder, name)).catch(() => undefined);
  if (folder === undefined || !(await exists(join(folder, 'partition')))) return [];
  const disk = dirname(folder);
  const siblings: string[] = [];
  for (const one of (await readdir(disk)).toSorted()) {
    if (one === name || !(await exists(join(disk, one, 'partition')))) continue;
    siblings.push(join('/dev', one));
    if (siblings.length === SIBLINGS_MAX) break;
  }
  return siblings;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
