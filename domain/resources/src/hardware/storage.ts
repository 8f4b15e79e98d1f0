import { Type, type Static } from '../schema.ts';
import { int64, optional } from '../schema-builders.ts';

const partition = Type.Object({
  label: optional('Label of the partition. `SWAP`, `BIOS` and `EFI` also set its type.', Type.String()),
  number: optional('Number of the partition, from 1.', int64()),
  size: optional('Size in sectors of 512 bytes. 0: the rest of the disk.', int64()),
  start: optional('First sector. For templates. `rootio` places partitions one after another.', int64()),
  type_guid: optional('GPT partition type. For templates.', Type.String()),
});

const disk = Type.Object({
  device: optional('Path of the disk, for example `/dev/sda`.', Type.String()),
  partitions: optional('Partitions to create.', Type.Array(partition)),
  wipe_table: optional('Erases the partition table first. Default: false.', Type.Boolean()),
});

const file = Type.Object({
  contents: optional('Contents of the file.', Type.String()),
  gid: optional('Group ID of the owner. Default: 0.', int64()),
  mode: optional('Permissions as a decimal number, for example 420 for 0644.', int64()),
  path: optional('Path of the file in the filesystem.', Type.String()),
  uid: optional('User ID of the owner. Default: 0.', int64()),
});

const mount = Type.Object({
  create: optional(
    'Options for creating the filesystem.',
    Type.Object({
      force: optional('Overwrites an existing filesystem. For templates.', Type.Boolean()),
      options: optional('Arguments for mkfs, for example `-L` and `ROOT`.', Type.Array(Type.String())),
    }),
  ),
  device: optional('Path of the partition, for example `/dev/sda3`.', Type.String()),
  files: optional('Files to write into the filesystem. For templates.', Type.Array(file)),
  format: optional('Type of the filesystem, for example `ext4` or `swap`.', Type.String()),
  point: optional('Mount point, for example `/`.', Type.String()),
});

const raid = Type.Object({
  devices: optional('Paths of the partitions or disks in the array.', Type.Array(Type.String())),
  level: optional('RAID level, for example `1`.', Type.String()),
  name: optional('Name of the array, for example `/dev/md0`.', Type.String()),
  spare: optional('Number of spare devices. Default: 0.', int64()),
});

export const Storage = Type.Object({
  disks: optional('Disks to partition.', Type.Array(disk)),
  filesystems: optional(
    'Filesystems to create.',
    Type.Array(Type.Object({ mount: optional('The filesystem and its mount point.', mount) })),
  ),
  raid: optional(
    'Software RAID arrays. For templates. The metadata service does not return them.',
    Type.Array(raid),
  ),
});
export type Storage = Static<typeof Storage>;
