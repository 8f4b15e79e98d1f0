import { readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

import { linkName, listNames, readLine } from '@tinkerbell/engine-hardware-attributes/sys-file';

const SECTOR_BYTES = 512;
/** A machine with more disks has an enclosure, whose first disks are enough. */
export const LIST_MAX = 512;

export interface DiskFacts {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly isRotational: boolean;
  readonly isRemovable: boolean;
  readonly isReadOnly: boolean;
  readonly logicalSectorBytes: number;
  readonly physicalSectorBytes: number;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  readonly wwn: string;
  readonly firmware: string;
  /** `ata-...`, `nvme-...`, `wwn-...`: names that stay when disks change their order. */
  readonly byId: readonly string[];
}

/** Whole disks below `root`, without loop, RAM and mapped devices. Unknown facts are empty, or 0. */
export function readDisks(root: string): readonly DiskFacts[] {
  const names = listNames(root, 'sys/block').filter((name) => !/^(loop|ram|zram|dm-|md|fd)\d/.test(name));
  const links = namesById(root);
  return names.slice(0, LIST_MAX).map((name) => {
    const at = (...path: string[]): string => readLine(root, 'sys/block', name, ...path);
    return {
      name,
      path: `/dev/${name}`,
      sizeBytes: number(at('size')) * SECTOR_BYTES,
      isRotational: at('queue/rotational') === '1',
      isRemovable: at('removable') === '1',
      isReadOnly: at('ro') === '1',
      logicalSectorBytes: number(at('queue/logical_block_size')),
      physicalSectorBytes: number(at('queue/physical_block_size')),
      vendor: at('device/vendor'),
      model: at('device/model'),
      serial: at('serial') || at('device/serial'),
      wwn: at('wwid') || at('device/wwid'),
      firmware: at('device/firmware_rev') || at('device/rev'),
      byId: links.get(name) ?? [],
    };
  });
}

function namesById(root: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const link of listNames(root, 'dev/disk/by-id')) {
    const device = linkName(root, 'dev/disk/by-id', link);
    names.set(device, [...(names.get(device) ?? []), link]);
  }
  return names;
}

/** 0 for text that is not a number. */
export function number(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : 0;
}

/** The address of the PCI device behind a file of /sys, for example `0000:01:00.0`. Empty for other devices. */
export function pciAddress(...path: readonly string[]): string {
  try {
    return (
      basename(readlinkSync(join(...path))).match(/^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/)?.[0] ?? ''
    );
  } catch {
    return '';
  }
}
