import { access, readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { deviceSize } from '@tinkerbell/action-kit';

import type { DiskFacts } from './decide-erase.ts';

/** Reads what the kernel knows of a disk: Documentation/ABI/stable/sysfs-block. */
export async function readDiskFacts(path: string): Promise<DiskFacts> {
  const folder = join('/sys/class/block', basename(await realpath(path)));
  const numberIn = async (file: string): Promise<number> =>
    Number((await readFile(join(folder, file), 'utf8').catch(() => '0')).trim());
  const isPartition = await access(join(folder, 'partition')).then(
    () => true,
    () => false,
  );
  return {
    sizeBytes: (await deviceSize(path)) ?? 0,
    isPartition,
    discardMaxBytes: await numberIn('queue/discard_max_bytes'),
    isReadOnly: (await numberIn('ro')) === 1,
  };
}
