/** Records of a journal as a machine leaves them when it boots and installs, for tests that show timelines. */
import type { JournalEntry, JournalRecord } from '@tinkerbell/store-contract';

export interface BootStory {
  readonly mac: string;
  readonly workflow: string;
  readonly startMs: number;
  /** The last action fails. */
  readonly fails: boolean;
  /** Stops before the agent reports. */
  readonly isOfBootOnly?: boolean;
}

type Step = readonly [afterMs: number, entry: Omit<JournalEntry, 'machine'>];

export function bootRecords({
  mac,
  workflow,
  startMs,
  fails,
  isOfBootOnly = false,
}: BootStory): readonly Omit<JournalRecord, 'sequence'>[] {
  const task = 'install debian';
  // As `site-objects.ts` numbers machines and their addresses.
  const address = `192.168.56.${40 + Number.parseInt(mac.slice(-2), 16)}`;
  const action = (name: string, event: string, message: string): Omit<JournalEntry, 'machine'> => ({
    source: 'agent',
    event: `action-${event}`,
    message,
    workflow,
    details: { task, action: name, attempt: 1 },
  });
  const transfer = (path: string, bytes: number, milliseconds: number): Omit<JournalEntry, 'machine'> => ({
    source: 'image',
    event: 'transfer-completed',
    message: `${path}: ${bytes} bytes sent`,
    details: { path, offset: 0, bytes, sentBytes: bytes, milliseconds },
  });
  const steps: readonly Step[] = [
    [
      0,
      {
        source: 'dhcp',
        event: 'offer-sent',
        message: `offered ${address}`,
        details: { client: 'UEFI firmware' },
      },
    ],
    [
      400,
      {
        source: 'dhcp',
        event: 'acknowledge-sent',
        message: `assigned ${address}`,
        details: { client: 'UEFI firmware' },
      },
    ],
    [
      900,
      {
        source: 'tftp',
        event: 'file-sent',
        message: 'ipxe.efi: 1048576 bytes sent',
        details: { path: 'ipxe.efi', milliseconds: 380 },
      },
    ],
    [
      2600,
      { source: 'dhcp', event: 'offer-sent', message: `offered ${address}`, details: { client: 'iPXE' } },
    ],
    [
      3100,
      {
        source: 'http',
        event: 'script-served',
        message: 'auto.ipxe: boots the in-memory OS',
        details: { outcome: 'hook' },
      },
    ],
    [5800, transfer('/hook/vmlinuz-x86_64', 9_400_000, 2400)],
    [12_400, transfer('/hook/initramfs-x86_64', 64_000_000, 6300)],
    [21_000, { source: 'syslog', event: 'message-received', message: 'kernel: Linux version 6.12' }],
    [24_500, { source: 'http', event: 'metadata-served', message: '/metadata was read' }],
    [26_000, action('write image', 'started', 'write image started')],
    [49_000, action('write image', 'succeeded', 'write image succeeded')],
    [49_200, action('write hostname', 'started', 'write hostname started')],
    fails
      ? [51_800, action('write hostname', 'failed', 'write hostname failed: /dev/sda1: no such device')]
      : [51_800, action('write hostname', 'succeeded', 'write hostname succeeded')],
    [
      52_000,
      {
        source: 'workflow',
        event: 'state-changed',
        workflow,
        message: fails ? 'RUNNING → FAILED' : 'RUNNING → SUCCESS',
        details: { from: 'RUNNING', to: fails ? 'FAILED' : 'SUCCESS' },
      },
    ],
  ];
  const told = isOfBootOnly
    ? steps.filter(([, { source }]) => source !== 'agent' && source !== 'workflow')
    : steps;
  return told.map(([afterMs, entry]) => ({ ...entry, machine: mac, atMs: startMs + afterMs }));
}

/** Lines that an action printed. */
export function outputRecords(
  { mac, workflow, startMs }: BootStory,
  lines: readonly string[],
): readonly Omit<JournalRecord, 'sequence'>[] {
  return lines.map((message, index) => ({
    source: 'agent',
    event: 'action-output',
    machine: mac,
    workflow,
    message,
    details: { task: 'install debian', action: 'write image' },
    atMs: startMs + 27_000 + index * 400,
  }));
}
