/** For each cause: a timeline or objects that show it, and the second at which it is found. */
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { Observation } from '../facts.ts';
import { UsualDurations } from '../usual-durations.ts';
import {
  action,
  download,
  firmware,
  ignored,
  loader,
  script,
  START_MS,
  system,
  timelineOf,
  type Line,
} from './boot-timeline.ts';

const MAC = '08:00:27:9e:f5:3a';
const usual = new UsualDurations();
const hardware: Hardware = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'm1', namespace: 'default' },
  spec: { interfaces: [{ dhcp: { mac: MAC, ip: { address: '10.0.9.5', netmask: '255.255.255.0' } } }] },
};

export function workflow(name: string, state: string, more: Partial<Workflow> = {}): Workflow {
  const { status, ...rest } = more;
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'default' },
    ...rest,
    status: { state, ...status },
  };
}

const waiting = [workflow('w', 'PENDING')];
const toScript = [...firmware(), ...loader(), ...script()];
export const toSystem = [...toScript, ...download(), ...system()];
export const withDetails = (lines: readonly Line[], more: NonNullable<Line[3]>): readonly Line[] =>
  lines.map(([at, what, message = what, details]) => [at, what, message, { ...details, ...more }]);
export const notAllowed = (at: number, why: string): readonly Line[] =>
  (['offer-sent', 'acknowledge-sent'] as const).map((event, index) => [
    at + index,
    `dhcp/${event}`,
    `discover from PXE firmware: offer of 10.0.9.5, no netboot: ${why}`,
    { client: 'PXE firmware', file: '/netboot-not-allowed', architecture: 7, address: '10.0.9.5' },
  ]);
const said = (message: string): Line => [14, 'syslog/message-received', message];
export const actionFailed = (why: string, event = 'action-failed'): readonly Line[] => [
  ...toSystem,
  ...action(),
  [
    30,
    `agent/${event}`,
    `install / stream image failed after 15s: ${why}`,
    { task: 'install', action: 'stream image', attempt: 1 },
  ],
  [30, 'workflow/state-changed', 'workflow is FAILED', { from: 'RUNNING', to: 'FAILED' }],
];
export const restarted: Line = [0, 'workflow/boot-job-completed', 'BMC job j completed'];

export interface Row {
  readonly lines: readonly Line[];
  /** When the cause is found, in seconds after the first record. */
  readonly at: number;
  readonly observed?: Partial<Observation>;
  readonly printed?: readonly Line[];
  /** Objects show it at any time. */
  readonly isTimeless?: boolean;
}

export const near = timelineOf([ignored(0, 'no-hardware', 'no Hardware has the MAC')]);
export const rows: Readonly<Record<string, Row>> = {
  'duplicate-mac': { lines: firmware(), at: 1, observed: { rivals: ['default/other'] }, isTimeless: true },
  'mac-typo': {
    lines: [],
    at: 9,
    observed: { near: near.map((record) => ({ mac: '08:00:27:9e:f5:3b', record })) },
    isTimeless: true,
  },
  'another-dhcp-server': {
    lines: [firmware()[0]!, ignored(1, 'other-server-selected', 'the client chose 192.0.2.1')],
    at: 9,
  },
  'address-refused': {
    lines: [[0, 'dhcp/refusal-sent', 'request: refusal', { client: 'PXE firmware' }], firmware(1)[0]!],
    at: 8,
  },
  'duplicate-address': {
    lines: [...firmware(), [1, 'dhcp/address-declined', 'in use by another', { reason: 'client-declined' }]],
    at: 9,
  },
  'server-disk-full': { lines: [ignored(0, 'lease-not-written', 'the lease could not be stored')], at: 8 },
  'relay-wrong': { lines: [ignored(0, 'relay-address-invalid', 'giaddr 255.255.255.255')], at: 8 },
  'hardware-invalid': { lines: [ignored(0, 'netmask-invalid', 'spec.interfaces[0].dhcp.ip.netmask')], at: 8 },
  'offer-not-accepted': { lines: [firmware()[0]!], at: 28 },
  'request-ignored': { lines: [ignored(0, 'pool-exhausted', 'no address is left')], at: 8 },
  'netboot-not-allowed': { lines: notAllowed(0, 'spec.interfaces[0].netboot.allowPXE is not true'), at: 3 },
  'no-boot-file': { lines: notAllowed(0, 'no boot file is known for architecture 39'), at: 3 },
  'boot-file-missing': {
    lines: [...firmware(), [2, 'tftp/file-not-found', 'TFTP has no file x.efi', { file: 'x.efi' }]],
    at: 10,
  },
  'tftp-timeout': {
    lines: [
      ...firmware(),
      [
        5,
        'tftp/transfer-failed',
        'ipxe.efi by TFTP, 0 bytes, timed-out',
        { file: 'ipxe.efi', outcome: 'timed-out' },
      ],
    ],
    at: 13,
  },
  'loader-transfer-failed': {
    lines: [
      ...firmware(),
      [5, 'tftp/transfer-failed', 'ipxe.efi by TFTP, client-aborted', { file: 'ipxe.efi' }],
    ],
    at: 13,
  },
  'script-refused': {
    lines: [
      ...firmware(),
      ...loader(),
      [3, 'http/script-refused', 'no iPXE script: no-source', { outcome: 'no-source' }],
    ],
    at: 11,
  },
  'tftp-blocked': { lines: firmware(), at: 41 },
  'secure-boot-refused': {
    lines: [
      ...withDetails(firmware(), { architecture: 7 }),
      [1, 'tftp/file-sent', 'ipxe.efi by TFTP, completed', { file: 'ipxe.efi', bytes: 1_000_000 }],
    ],
    at: 49,
  },
  'http-boot-blocked': {
    lines: withDetails(firmware(), { client: 'UEFI HTTP boot', file: 'http://10.0.0.1/ipxe.efi' }),
    at: 41,
  },
  'http-blocked': { lines: [...firmware(), ...loader()], at: 50 },
  'kernel-panic': {
    lines: [...toScript, ...download()],
    at: 19,
    printed: [[10, 'bmc/console-printed', '[ 1.0] Kernel panic - not syncing: VFS']],
  },
  'no-network-driver': {
    lines: [...toScript, ...download()],
    at: 19,
    printed: [
      [10, 'bmc/console-printed', 'hook: [2.1 s] no network interface: is its driver in this image?'],
    ],
  },
  'out-of-memory': {
    lines: [...toScript, ...download()],
    at: 19,
    printed: [[10, 'bmc/console-printed', 'Out of memory: Killed process 1']],
  },
  'wrong-architecture': {
    lines: [
      ...withDetails(firmware(), { architecture: 7 }),
      [2, 'tftp/file-sent', 'snp-arm64.efi by TFTP', { file: 'snp-arm64.efi' }],
    ],
    at: 10,
  },
  'kernel-missing': {
    lines: [
      ...toScript,
      [4, 'image/file-missing', 'vmlinuz-x86_64: file not found', { path: 'vmlinuz-x86_64' }],
    ],
    at: 12,
  },
  'transfer-broken-off': {
    lines: [
      ...toScript,
      download()[0]!,
      [5, 'image/transfer-broken-off', 'vmlinuz-x86_64: aborted', { path: 'vmlinuz-x86_64' }],
    ],
    at: 13,
  },
  'clock-wrong': {
    lines: [...toSystem, said('agent: no action to run reason=certificate is not yet valid')],
    at: 20,
  },
  'server-not-trusted': {
    lines: [...toSystem, said('agent: reason=unable to verify the first certificate')],
    at: 20,
  },
  'agent-refused': {
    lines: [
      ...toSystem,
      [14, 'agent/agent-refused', 'a call was refused: no session', { reason: 'no-session' }],
    ],
    at: 22,
  },
  'enrollment-refused': {
    lines: [
      ...toSystem,
      [14, 'agent/enrollment-refused', 'not enrolled: waits for approval', { reason: 'waiting' }],
    ],
    at: 22,
  },
  'metadata-refused': {
    lines: [
      ...toSystem,
      [14, 'http/metadata-refused', 'no metadata: machine-unknown', { outcome: 'machine-unknown' }],
    ],
    at: 22,
  },
  'agent-cannot-connect': {
    lines: [...toSystem, said('agent: reason=connect ECONNREFUSED 10.0.0.1:42113')],
    at: 59,
  },
  'reboot-loop': {
    lines: [0, 60, 120, 180].flatMap((at) => [...firmware(at), ...loader(at + 1), ...script(at + 3)]),
    at: 181,
  },
  'kernel-not-requested': { lines: toScript, at: 43 },
  'transfer-stalled': { lines: [...toScript, download()[0]!], at: 44 },
  'system-silent': { lines: [...toScript, ...download()], at: 61 },
  'template-not-rendered': {
    lines: [],
    at: 1,
    observed: { workflows: [workflow('w', '', { status: { templateRendering: 'failed' } })] },
    isTimeless: true,
  },
  'workflow-disabled': {
    lines: toSystem,
    at: 59,
    observed: { workflows: [workflow('w', 'PENDING', { spec: { disabled: true } })] },
  },
  'workflow-held': {
    lines: toSystem,
    at: 59,
    observed: { workflows: [workflow('v', 'RUNNING'), ...waiting] },
  },
  'no-workflow': { lines: toSystem, at: 59, observed: { workflows: [] } },
  'agent-silent': { lines: toSystem, at: 59 },
  'agent-lost': {
    lines: [...toSystem, ...action(), [60, 'agent/agent-silent', 'no message for 60 s']],
    at: 61,
  },
  'disk-absent': {
    lines: actionFailed('/dev/sdz is not a block device; this machine has /dev/sda (20 GiB)'),
    at: 30,
  },
  'disk-too-small': {
    lines: actionFailed('the image is larger than /dev/sda (1 GiB): choose a larger disk'),
    at: 30,
  },
  'image-not-found': { lines: actionFailed('http://10.0.0.1/images/x answered 404'), at: 30 },
  'image-checksum-wrong': {
    lines: actionFailed("the image's SHA-256 is aa, IMG_CHECKSUM says bb: the disk holds a wrong image"),
    at: 30,
  },
  'image-unreachable': {
    lines: actionFailed('http://10.0.0.1/x: connect ECONNREFUSED; gave up at byte 0'),
    at: 30,
  },
  'action-timed-out': {
    lines: actionFailed('the action did not end within its timeout of 90 s', 'action-timed-out'),
    at: 30,
  },
  'action-failed': { lines: actionFailed('exit code 1'), at: 30 },
  'bmc-failed': { lines: [[0, 'bmc/bmc-job-failed', 'BMC Job j failed: authentication-failed']], at: 1 },
  'boot-override-ignored': {
    lines: [restarted, ...system(100).slice(0, 2)],
    at: 101,
    observed: { workflows: [workflow('w', 'PREPARING')] },
  },
  'network-wrong': {
    lines: withDetails(firmware(), { relay: '10.0.3.1' }),
    at: 41,
  },
  'relay-absent': {
    lines: [restarted],
    at: 460,
    observed: { network: { serverAddress: '10.0.0.1', relays: ['10.0.3.1'] } },
  },
  'no-netboot-after-power-on': {
    lines: [restarted],
    at: 460,
    observed: { network: { serverAddress: '10.0.9.1', relays: [] } },
  },
};

export function observation({ lines, observed, printed = [] }: Row, nowSeconds: number): Observation {
  return {
    nowMs: START_MS + nowSeconds * 1000,
    macs: [MAC],
    records: timelineOf(lines).filter(({ atMs }) => atMs <= START_MS + nowSeconds * 1000),
    printed: timelineOf(printed),
    hardware,
    workflows: waiting,
    limitMs: (step) => usual.limitMs('', step),
    ...observed,
  };
}
