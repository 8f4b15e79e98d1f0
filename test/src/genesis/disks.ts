/** Reads the disk of each machine from outside, once it is off. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '@tinkerbell/sandbox';
import { assertExt4, ext4File, partitionFile, partitionsOf } from '../actions/disk-checks.ts';
import { INSTALLED_CONFIG } from '../actions/fixtures/stand-in-installer.ts';
import type { MachineName } from './plan.ts';

interface Wanted {
  readonly partition: number;
  readonly path: string;
  readonly content: RegExp;
  /** A partition that it must have. */
  readonly label: string;
}

const ROOT_PARTITION = 1;

const JOINED: Wanted = {
  ...INSTALLED_CONFIG,
  content: /server_url: https:\/\/10\.10\.20\.70:443[^]*mode: join/,
  label: 'STATE',
};

const WANTED: Readonly<Record<MachineName, Wanted>> = {
  router: {
    partition: ROOT_PARTITION,
    path: '/etc/tinkerbell/tinkerbell.yaml',
    content: /^enable-relay: true$/m,
    label: 'cidata',
  },
  platform: {
    partition: ROOT_PARTITION,
    path: '/etc/talos/config.yaml',
    content: /endpoint: https:\/\/10\.10\.20\.60:6443/,
    label: 'cidata',
  },
  'node-1': { ...INSTALLED_CONFIG, content: /mode: create[^]*vip: 10\.10\.20\.70/, label: 'STATE' },
  'node-2': JOINED,
  'node-3': JOINED,
};

/** Returns a line for what is not there. */
export async function diskProblems(
  name: MachineName,
  { diskPath }: Machine,
  directory: string,
): Promise<readonly string[]> {
  const { partition, path, content, label } = WANTED[name];
  const work = join(directory, `disk-of-${name}`);
  await mkdir(work);
  const labels = (await partitionsOf(diskPath)).map((one) => one.name);
  if (!labels.includes(label))
    return [`${name}: its disk has no partition ${label}, but ${labels.join(', ')}`];
  const file = await partitionFile(diskPath, partition, work);
  await assertExt4(file);
  const found = await ext4File(file, path);
  return content.test(found) ? [] : [`${name}: ${path} is ${JSON.stringify(found)}`];
}
