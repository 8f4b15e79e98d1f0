import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isInMemorySystem } from '@tinkerbell/action-kit';
// Not the whole package: an action's process starts without the protobuf runtime.
import { readDiskNames } from '@tinkerbell/engine-hardware-attributes/disk-names';

/**
 * Makes the links in `/dev/disk/by-id` of the in-memory OS, which has no udev. Earlier actions may have changed partitions, so
 * this is repeated before each action. Another system keeps its own links.
 */
export function linkDisks(root = '/'): void {
  if (!isInMemorySystem(root)) return;
  const directory = join(root, 'dev/disk/by-id');
  mkdirSync(directory, { recursive: true });
  for (const { name, device } of readDiskNames(root)) {
    const target = `../../${device}`;
    const link = join(directory, name);
    if (targetOf(link) === target) continue;
    rmSync(`${link}.new`, { force: true });
    symlinkSync(target, `${link}.new`);
    renameSync(`${link}.new`, link);
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
