import { readDevices, readEnvironment, type Environment } from '@tinkerbell/action-kit';

export type VolumeSize =
  | { readonly kind: 'bytes'; readonly bytes: number }
  /** Of the free space at that moment, or of the whole group. */
  | { readonly kind: 'percent'; readonly percent: number; readonly of: 'FREE' | 'VG' };

export interface WantedVolume {
  readonly name: string;
  readonly size: VolumeSize;
}

export interface Settings {
  readonly group: string;
  readonly devices: readonly string[];
  /** In the order in which they are created. */
  readonly volumes: readonly WantedVolume[];
  readonly wipe: boolean;
  readonly activate: boolean;
}

/** lvm(8): the characters of a name, which must not begin with a hyphen. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9+_.][A-Za-z0-9+_.-]{0,126}$/;
const VOLUMES_MAX = 256;
const UNITS: Readonly<Record<string, number>> = { M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** @throws ActionError that lists every problem. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('lvm', environment);
  const group = read.required('VOLUME_GROUP', 'the name of the volume group, for example vg0');
  const devices = readDevices(
    read,
    'PHYSICAL_VOLUMES',
    'its disks or partitions, for example /dev/sda3,/dev/sdb',
  );
  const items = (read.optional('LOGICAL_VOLUMES') ?? '').split(',').filter((item) => item.trim() !== '');
  const volumes = items.slice(0, VOLUMES_MAX).flatMap((item) => {
    const volume = volumeIn(item.trim());
    if (volume === undefined)
      read.problem(
        `LOGICAL_VOLUMES: "${item.trim()}" is not NAME:SIZE with a size such as 20G, 512M, 50%VG or 100%FREE`,
      );
    return volume ?? [];
  });
  if (items.length > VOLUMES_MAX) read.problem(`LOGICAL_VOLUMES has more than ${VOLUMES_MAX} volumes`);
  if (group !== '' && !NAME.test(group)) read.problem(`VOLUME_GROUP=${group} is not a name for LVM`);
  if (new Set(volumes.map(({ name }) => name)).size < volumes.length)
    read.problem('LOGICAL_VOLUMES has a name twice');
  const settings = {
    group,
    devices,
    volumes,
    wipe: read.flag('WIPE', false),
    activate: read.flag('ACTIVATE', true),
  };
  read.finish();
  return settings;
}

function volumeIn(text: string): WantedVolume | undefined {
  const [name = '', size = '', ...more] = text.split(':');
  const wanted = sizeIn(size);
  return more.length === 0 && NAME.test(name) && wanted !== undefined ? { name, size: wanted } : undefined;
}

function sizeIn(text: string): VolumeSize | undefined {
  return shareIn(text) ?? bytesIn(text);
}

function shareIn(text: string): VolumeSize | undefined {
  const [, share = '', of = ''] = /^(\d{1,3})%(FREE|VG)$/.exec(text) ?? [];
  const percent = Number(share);
  if (of !== 'FREE' && of !== 'VG') return undefined;
  return percent >= 1 && percent <= 100 ? { kind: 'percent', percent, of } : undefined;
}

/** Units are powers of 1024, as in lvm. */
function bytesIn(text: string): VolumeSize | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9})([MGT])(?:iB)?$/.exec(text) ?? [];
  const bytes = Number(count) * (UNITS[unit] ?? 0);
  return bytes > 0 && Number.isSafeInteger(bytes) ? { kind: 'bytes', bytes } : undefined;
}
