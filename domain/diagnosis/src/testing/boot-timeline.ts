/** Shortened timelines in the form that the server writes, for tests. */
import type { TimelineRecord } from '../timeline-record.ts';

export const START_MS = Date.UTC(2026, 10, 21, 12, 0, 0);
const MAC = '08:00:27:9e:f5:3a';

type Details = NonNullable<TimelineRecord['details']>;
/** Seconds since the first packet, `source/event`, message, details. */
export type Line = readonly [atSeconds: number, what: string, message?: string, details?: Details];

export function timelineOf(lines: readonly Line[]): readonly TimelineRecord[] {
  return lines.map(([atSeconds, what, message = what, details], index) => {
    const [source = '', event = ''] = what.split('/');
    return {
      sequence: index + 1,
      atMs: START_MS + Math.round(atSeconds * 1000),
      source,
      event,
      machine: MAC,
      ...(source === 'agent' || source === 'workflow' ? { workflow: 'default/m1-debian' } : {}),
      message,
      ...(details === undefined ? {} : { details }),
    };
  });
}

const offer = (at: number, client: string, file: string): readonly Line[] => [
  [
    at,
    'dhcp/offer-sent',
    `discover from ${client}: offer of 192.168.56.43, boot file ${file}`,
    { client, file },
  ],
  [
    at + 0.01,
    'dhcp/acknowledge-sent',
    `request from ${client}: acknowledge of 192.168.56.43`,
    { client, file },
  ],
];

export const firmware = (at = 0): readonly Line[] => offer(at, 'PXE firmware', 'ipxe.efi');

export const loader = (at = 1): readonly Line[] => [
  [
    at + 0.5,
    'tftp/file-sent',
    'ipxe.efi by TFTP, 1000000 bytes in 500 ms, completed',
    { file: 'ipxe.efi', bytes: 1_000_000, milliseconds: 500 },
  ],
  ...offer(at + 1, 'iPXE 1.21.1', 'http://192.168.56.4:7080/ipxe/script/auto.ipxe'),
];

export const script = (at = 3, outcome = 'hook'): readonly Line[] => [
  [at, 'http/script-served', `iPXE script served: ${outcome}`, { outcome }],
];

function transfer(at: number, path: string, bytes: number): readonly Line[] {
  const common = { path, offset: 0, totalBytes: bytes, bytesPerSecond: bytes };
  return [
    [at, 'image/transfer-started', `${path} begun`, { ...common, sentBytes: 0, milliseconds: 0 }],
    [at + 1, 'image/transfer-completed', `${path} sent`, { ...common, sentBytes: bytes, milliseconds: 1000 }],
  ];
}

export const download = (at = 4): readonly Line[] => [
  ...transfer(at, 'vmlinuz-x86_64', 10_000_000),
  ...transfer(at + 1, 'initramfs-x86_64', 90_000_000),
];

export const system = (at = 10): readonly Line[] => [
  ...offer(at, 'an operating system', ''),
  [at + 1, 'syslog/message-received', 'kernel: Linux'],
  [at + 2, 'syslog/message-received', 'agent: starting'],
];

const ACTION = { task: 'install', action: 'stream image', attempt: 1 };

export const action = (at = 15): readonly Line[] => [
  [at, 'agent/action-served', 'install / stream image given to agent', ACTION],
  [at, 'workflow/state-changed', 'workflow is RUNNING', { from: 'PENDING', to: 'RUNNING' }],
  [at + 0.1, 'agent/action-started', 'install / stream image started', ACTION],
  ...transfer(at + 1, 'debian.raw', 500_000_000),
];

export const success = (at = 30): readonly Line[] => [
  [at, 'agent/action-succeeded', 'install / stream image succeeded after 15s', ACTION],
  [at, 'workflow/state-changed', 'workflow is SUCCESS', { from: 'RUNNING', to: 'SUCCESS' }],
];

export const failure = (at = 30): readonly Line[] => [
  [at, 'agent/action-failed', 'install / stream image failed after 15s: no such disk', ACTION],
  [at, 'workflow/state-changed', 'workflow is FAILED', { from: 'RUNNING', to: 'FAILED' }],
];

export const ignored = (at: number, reason: string, message: string): Line => [
  at,
  'dhcp/request-ignored',
  `discover ignored: ${message}`,
  { reason, type: 'discover' },
];
