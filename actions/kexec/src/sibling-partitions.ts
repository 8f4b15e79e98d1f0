import { access, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Each is mounted to look into it; installed systems have few. */
const SIBLINGS_MAX = 32;

/**
 * The other partitions of the disk that a partition is on, as `/dev/...`; none for what is no partition. The kernel has a
 * folder for each below that of the disk (Documentation/ABI/stable/sysfs-block).
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
