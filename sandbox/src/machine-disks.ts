/** The disks of a machine, as arguments of QEMU. Each is a file. */
import { join } from 'node:path';

/** `virtio` is /dev/vda, `sata` /dev/sda, `nvme` /dev/nvme0n1, and `sd`, a card, /dev/mmcblk0. */
export type DiskBus = 'virtio' | 'sata' | 'nvme' | 'sd';

export interface MoreDisk {
  readonly bus: DiskBus;
  /** The size of a card must be a power of two. */
  readonly bytes: number;
  /** Of SATA disks: `0x5000c500a1b2c3d4`. */
  readonly worldWideName?: string;
}

export interface AttachedDisk extends MoreDisk {
  readonly index: number;
  readonly path: string;
}

export interface DiskOptions {
  readonly name: string;
  readonly directory: string;
  readonly diskBytes?: number;
  readonly diskBus?: DiskBus;
  readonly moreDisks?: readonly MoreDisk[];
}

const DISK_BYTES = 4 * 1024 ** 3;

/** The disk from which the machine boots, and then the others. */
export function disksOf(options: DiskOptions): readonly AttachedDisk[] {
  const { name, directory, diskBytes = DISK_BYTES, diskBus = 'virtio', moreDisks = [] } = options;
  const first: MoreDisk = { bus: diskBus, bytes: diskBytes };
  return [first, ...moreDisks].map((disk, index) => ({
    ...disk,
    index,
    path: join(directory, index === 0 ? `${name}.disk` : `${name}.disk${index}`),
  }));
}

export function driveOf({ index, path }: AttachedDisk): string {
  return `if=none,id=disk${index},file=${path},format=raw,cache=unsafe,discard=unmap`;
}

/** The network has the first place in the boot order. */
const FIRST_BOOT_INDEX = 2;

/** `isBootable`: the first disk has its place in the boot order. */
export function diskDevice(disk: AttachedDisk, isBootable = true): readonly string[] {
  const place = [
    `drive=disk${disk.index}`,
    ...(disk.index === 0 && isBootable ? [`bootindex=${FIRST_BOOT_INDEX}`] : []),
  ].join();
  switch (disk.bus) {
    case 'virtio':
      return [`virtio-blk-pci,${place}`];
    case 'sata':
      // Each port of the controller has one disk, and QEMU takes the first one for all.
      return [
        `ide-hd,${place},bus=ide.${disk.index}${disk.worldWideName === undefined ? '' : `,wwn=${disk.worldWideName}`}`,
      ];
    case 'nvme':
      return [`nvme,serial=LAB${disk.index},${place}`];
    case 'sd':
      // Firmware cannot boot from a card here.
      return ['sdhci-pci', `sd-card,drive=disk${disk.index}`];
    default:
      return disk.bus satisfies never;
  }
}
