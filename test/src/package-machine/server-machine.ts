/** A virtual machine with Debian and systemd, as an administrator has it before the packages are installed. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { runCommand, withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  createMachine,
  EMULATED_KERNEL_ARGUMENTS,
  type Machine,
  type PrivateNetwork,
} from '@tinkerbell/sandbox';
import { cacheDirectory, serverAddress } from '../bare-machine.ts';
import { shellFiles } from '../guest-shell.ts';

const DISK_BYTES = 4 * 1024 ** 3;
const DELIVERY_BYTES = 1024 ** 3;
const MEMORY_MEBIBYTES = 1536;

const network = `[Match]
Name=eth0

[Network]
LinkLocalAddressing=no
Address=${serverAddress}/24
`;

/** What the administrator of a site with emulated machines sets, before the installation. */
const settings = `TINKERBELL_IPXE_HTTP_SCRIPT_EXTRA_KERNEL_ARGS=${EMULATED_KERNEL_ARGUMENTS}\n`;

/** Needs the network of this machine, so call it before this process leaves it. Returns the path of the compressed image. */
export async function serverDisk(): Promise<string> {
  const variant = {
    // What the package depends on, and what makes the root larger.
    packages: ['adduser', 'libatomic1', 'libstdc++6', 'fdisk'],
    files: {
      ...shellFiles,
      'etc/hostname': 'server\n',
      'etc/systemd/network/20-wired.network': network,
      'etc/default/tinkerbell': settings,
    },
    commands: [],
  };
  return (await withCacheLock(cacheDirectory, () => buildDebianImage({ cacheDirectory, variant }))).path;
}

export interface ServerMachineRequest {
  readonly directory: string;
  readonly network: PrivateNetwork;
  /** The compressed image of its disk. */
  readonly disk: string;
  /** A folder that it has as /dev/vdb. */
  readonly delivery: string;
}

/** Powered off. */
export async function createServerMachine(request: ServerMachineRequest): Promise<Machine> {
  const { directory, disk, delivery } = request;
  const own = join(directory, 'server');
  await mkdir(own);
  const machine = await createMachine({
    name: 'server',
    mac: '52:54:00:00:00:01',
    firmware: 'bios',
    directory: own,
    port: await request.network.addPort(),
    memoryMebibytes: MEMORY_MEBIBYTES,
    diskBytes: DISK_BYTES,
    moreDisks: [{ bus: 'virtio', bytes: DELIVERY_BYTES }],
    bootOrder: 'disk',
  });
  const [first = '', second = ''] = machine.diskPaths;
  await pipeline(createReadStream(disk), createZstdDecompress(), createWriteStream(first, { flags: 'r+' }));
  await truncate(first, DISK_BYTES);
  await runCommand('mke2fs', ['-q', '-t', 'ext4', '-F', '-d', delivery, second]);
  return machine;
}

/** The image has little space. What is delivered is read-only. */
export const PREPARE_DISKS = [
  'sfdisk --quiet --relocate gpt-bak-std /dev/vda',
  "echo ', +' | sfdisk --quiet --no-reread --force -N 1 /dev/vda",
  'partx --update --nr 1 /dev/vda',
  'resize2fs /dev/vda1',
  'mount -o ro /dev/vdb /mnt',
].join(' && ');
