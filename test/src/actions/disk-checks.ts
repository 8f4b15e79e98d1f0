/** Reads disks from outside with the tools of others. The machine is off. */
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import { isRecord } from '@tinkerbell/yaml/json';

const SECTOR_BYTES = 512;

export interface FoundPartition {
  readonly number: number;
  readonly start: number;
  readonly size: number;
  readonly type: string;
  readonly name: string;
}

/** By sfdisk. Start and size are in sectors. */
export async function partitionsOf(disk: string): Promise<readonly FoundPartition[]> {
  const found: unknown = JSON.parse(await runCommand('sfdisk', ['--json', disk]));
  const table = isRecord(found) && isRecord(found['partitiontable']) ? found['partitiontable'] : {};
  const list: unknown = table['partitions'];
  return (Array.isArray(list) ? list : []).filter(isRecord).map((one) => ({
    number: Number(/\d+$/.exec(String(one['node']))?.[0]),
    start: Number(one['start']),
    size: Number(one['size']),
    type: String(one['type']),
    name: typeof one['name'] === 'string' ? one['name'] : '',
  }));
}

/** Copies a partition to a file of its own. */
export async function partitionFile(disk: string, number: number, directory: string): Promise<string> {
  const found = (await partitionsOf(disk)).find((one) => one.number === number);
  if (found === undefined) throw new Error(`${disk} has no partition ${number}`);
  const target = join(directory, `partition${number}-${found.start}`);
  const bytes = [`skip=${found.start * SECTOR_BYTES}`, `count=${found.size * SECTOR_BYTES}`];
  const flags = ['iflag=skip_bytes,count_bytes', 'bs=1M', 'conv=sparse', 'status=none'];
  await runCommand('dd', [`if=${disk}`, `of=${target}`, ...bytes, ...flags]);
  return target;
}

/** Returns the content of a file of ext2 to ext4. A machine that lost its power left a journal, which this replays. */
export async function ext4File(partition: string, path: string): Promise<string> {
  return runCommand('debugfs', ['-R', `cat ${path}`, partition]);
}

/** @throws Error when the file system is damaged. */
export async function assertExt4(partition: string): Promise<void> {
  // 1: the journal was replayed.
  await runCommand('sh', ['-c', 'e2fsck -fp "$1" || [ $? = 1 ]', 'sh', partition]);
  await runCommand('e2fsck', ['-fn', partition]);
}

export async function fatFile(partition: string, path: string): Promise<string> {
  return runCommand('mtype', ['-i', partition, `::${path}`]);
}

/** Of the whole file, or of its first bytes. */
export async function sha256Of(path: string, bytes?: number): Promise<string> {
  const content = bytes === undefined ? await readFile(path) : await bytesAt(path, 0, bytes);
  return createHash('sha256').update(content).digest('hex');
}

export async function bytesAt(path: string, offset: number, length: number): Promise<Buffer> {
  await using file = await open(path);
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, offset);
  return bytes;
}
