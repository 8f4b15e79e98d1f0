import type { Hardware, Instance } from '@tinkerbell/resources';

type Storage = NonNullable<Instance['storage']>;
type Disk = NonNullable<Storage['disks']>[number];
type Filesystem = NonNullable<Storage['filesystems']>[number];

/**
 * Returns the JSON document at `/metadata`, which rootio reads: the disks and filesystems of the instance.
 * Every field is present: absent lists are null, absent texts empty, absent numbers 0, as Go writes its zero
 * values.
 */
export function diskLayoutOf(hardware: Hardware): string {
  const storage = hardware.spec?.metadata?.instance?.storage;
  const disks = storage?.disks?.map(diskOf) ?? null;
  const filesystems = storage?.filesystems?.map(filesystemOf) ?? null;
  return JSON.stringify({ metadata: { instance: { storage: { disks, filesystems } } } });
}

function diskOf({ device = '', partitions, wipe_table = false }: Disk) {
  return {
    device,
    partitions: partitions?.map(({ label = '', number = 0, size = 0 }) => ({ label, number, size })) ?? null,
    wipe_table,
  };
}

function filesystemOf({ mount }: Filesystem) {
  const { create, device = '', format = '', point = '' } = mount ?? {};
  return { mount: { create: { options: create?.options ?? null }, device, format, point } };
}
