/**
 * The names of disks that stay when their order changes, as udev gives them in `/dev/disk/by-id`. The in-memory OS has no
 * udev, and templates use these names (rules.d/60-persistent-storage.rules of systemd).
 */
import { listNames, readLine } from './sys-file.ts';

export interface DiskName {
  /** Below `/dev/disk/by-id`. */
  readonly name: string;
  /** Of the kernel: `sda`, or `sda1` for a partition. */
  readonly device: string;
}

const NAME_MAX = 200;
const DEVICES_MAX = 4096;
/** Devices that are no hardware. */
const VIRTUAL = /^(loop|ram|zram|dm-|md|fd|sr)\d/;

/** Returns the names of all disks and partitions below `root`. Each name occurs once: the first device has it. */
export function readDiskNames(root: string): readonly DiskName[] {
  const found = new Map<string, DiskName>();
  for (const disk of listNames(root, 'sys/block').filter((name) => !VIRTUAL.test(name))) {
    const devices = [{ device: disk, suffix: '' }, ...partitionsOf(root, disk)];
    for (const base of namesOf(root, disk))
      for (const { device, suffix } of devices) {
        const name = base + suffix;
        if (!found.has(name) && found.size < DEVICES_MAX) found.set(name, { name, device });
      }
  }
  return [...found.values()];
}

function partitionsOf(root: string, disk: string): readonly { device: string; suffix: string }[] {
  return listNames(root, 'sys/block', disk).flatMap((device) => {
    const number = device.startsWith(disk) ? readLine(root, 'sys/block', disk, device, 'partition') : '';
    return /^\d{1,5}$/.test(number) ? [{ device, suffix: `-part${number}` }] : [];
  });
}

function namesOf(root: string, disk: string): readonly string[] {
  const at = (...path: string[]): string => readLine(root, 'sys/block', disk, ...path);
  const wwid = at('wwid') || at('device/wwid');
  const [model, serial] = [at('device/model'), at('serial') || at('device/serial')];
  const named = (prefix: string, ...parts: readonly string[]): readonly string[] =>
    parts.includes('') ? [] : [`${prefix}-${parts.map(safe).join('_')}`.slice(0, NAME_MAX)];
  if (disk.startsWith('nvme')) return [...named('nvme', wwid), ...named('nvme', model, serial)];
  if (disk.startsWith('vd')) return named('virtio', serial);
  if (disk.startsWith('mmcblk')) return named('mmc', at('device/name'), at('device/serial'));
  const naa = /^naa\.([0-9a-f]{16,32})$/.exec(wwid)?.[1];
  return naa === undefined ? [] : [`wwn-0x${naa}`, `scsi-3${naa}`];
}

/** udev replaces runs of spaces, and all characters but those of names. */
function safe(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, '_')
    .replaceAll(/[^\w.:+@=-]/g, '_');
}
