/** What a partition holds: GUIDs of UEFI 2.10 table 5-7 and of the discoverable partitions specification, and bytes of an MBR. */
import type { Guid } from './guid.ts';

export const partitionTypes = {
  'efi-system': 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b',
  'bios-boot': '21686148-6449-6e6f-744e-656564454649',
  'linux-filesystem': '0fc63daf-8483-4772-8e79-3d69d8477de4',
  'linux-swap': '0657fd6d-a4ab-43c4-84e5-0933c84b4f4f',
  'linux-lvm': 'e6d6d379-f507-44c2-a23c-238f2a3df928',
  'linux-raid': 'a19d880f-05fc-4d3b-a006-743f0f84911e',
  'linux-home': '933ac7e1-2eb4-4f13-b844-0e14e2aef915',
  'linux-boot': 'bc13c2ff-59e6-4262-a352-b275fd6f7172',
  'linux-root-x86-64': '4f68bce3-e8cd-4db1-96e7-fbcaf984b709',
  'linux-root-arm64': 'b921b045-1df0-41c3-af44-4c6f280d3fae',
  'linux-luks': 'ca7d7ccb-63ed-4c53-861c-1742536059cc',
  'microsoft-data': 'ebd0a0a2-b9e5-4433-87c0-68b6b72699c7',
  'microsoft-reserved': 'e3c9e316-0b5c-4db8-817d-f92df00215ae',
} as const satisfies Readonly<Record<string, Guid>>;

export type PartitionTypeName = keyof typeof partitionTypes;

/** Types of partitions in an MBR. */
export const mbrTypes = {
  empty: 0x00,
  extended: 0x05,
  fat32: 0x0c,
  'extended-lba': 0x0f,
  'linux-swap': 0x82,
  'linux-filesystem': 0x83,
  'linux-extended': 0x85,
  'linux-lvm': 0x8e,
  'gpt-protective': 0xee,
  'efi-system': 0xef,
  'linux-raid': 0xfd,
} as const;

/** Returns the name of a type, or undefined for an unknown one. */
export function partitionTypeName(type: Guid): string | undefined {
  return Object.entries(partitionTypes).find(([, guid]) => guid === type)?.[0];
}
