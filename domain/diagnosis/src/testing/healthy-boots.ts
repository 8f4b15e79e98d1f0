/** Timelines of boots that succeed, for each kind of firmware, with durations that a seed chooses. */
import type { Line } from './boot-timeline.ts';

/** Returns numbers from 0 to below 1 that a seed determines (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Step = readonly [usualSeconds: number, line: (at: number) => Line];

const dhcp =
  (event: string, client: string, file: string, address = '10.0.0.5'): ((at: number) => Line) =>
  (at) => [at, `dhcp/${event}`, `${event} ${client} ${file}`, { client, file, address, architecture: 7 }];
const line =
  (
    what: string,
    details: Readonly<Record<string, string | number>> = {},
    message = what,
  ): ((at: number) => Line) =>
  (at) => [at, what, message, details];

const SCRIPT = 'http://10.0.0.1:7080/ipxe/script/08:00:27:9e:f5:3a/auto.ipxe';
const PXE = 'PXE firmware';
const IPXE = 'iPXE 1.21.1';
const SYSTEM = 'an operating system';

const pxe = (file: string): readonly Step[] => [
  [0, dhcp('offer-sent', PXE, file)],
  [8, dhcp('offer-sent', PXE, file)],
  [4, dhcp('acknowledge-sent', PXE, file)],
  [15, line('tftp/file-sent', { file, bytes: 1e6, milliseconds: 500 })],
];
const ipxe = (file = SCRIPT): readonly Step[] => [
  [15, dhcp('offer-sent', IPXE, file)],
  [1, dhcp('acknowledge-sent', IPXE, file)],
];
const script = (outcome = 'hook'): readonly Step[] => [[5, line('http/script-served', { outcome })]];
const transfer = (path: string): readonly Step[] => [
  [5, line('image/transfer-started', { path, offset: 0 })],
  [1, line('image/transfer-moved', { path, offset: 0 })],
  [15, line('image/transfer-moved', { path, offset: 0 })],
  [1, line('image/transfer-completed', { path, offset: 0 })],
];
const action = { task: 't', action: 'a', attempt: 1 };
const system: readonly Step[] = [
  [25, dhcp('offer-sent', SYSTEM, '')],
  [1, dhcp('acknowledge-sent', SYSTEM, '')],
  [1, line('syslog/message-received', {}, 'hook: network: eth0 has 10.0.0.5 (DHCP)')],
  [20, line('agent/action-served', action)],
  [0, line('workflow/state-changed', { from: 'PENDING', to: 'RUNNING' })],
  [0, line('agent/action-started', action)],
  [100, line('agent/action-succeeded', action)],
  [0, line('workflow/state-changed', { from: 'RUNNING', to: 'SUCCESS' })],
  [0, line('agent/agent-refused', { reason: 'ended' }, 'the workflow of this session has ended')],
  [0, line('syslog/message-received', {}, 'hook: agent: no action to run')],
];
const hook: readonly Step[] = [
  ...script(),
  ...transfer('vmlinuz-x86_64'),
  ...transfer('initramfs-x86_64'),
  ...system,
];
/** The installed machine restarts, is sent to its disk, and is silent from then on. */
const restart = (loader: readonly Step[]): readonly Step[] => [
  ...loader,
  ...script('local-boot'),
  [60, dhcp('offer-sent', SYSTEM, '')],
];

const viaPxe = [...pxe('ipxe.efi'), ...ipxe()];
const viaHttp: readonly Step[] = [
  [0, dhcp('offer-sent', 'UEFI HTTP boot', 'http://10.0.0.1:7080/ipxe/binary/x/ipxe.efi')],
  [4, dhcp('acknowledge-sent', 'UEFI HTTP boot', 'http://10.0.0.1:7080/ipxe/binary/x/ipxe.efi')],
  [15, line('http/binary-sent', { file: 'ipxe.efi' })],
  ...ipxe(),
];
const bios = (steps: readonly Step[]): readonly Step[] =>
  steps.map(([usualSeconds, make]) => [
    usualSeconds,
    (at) => {
      const [time, what, message = what, details = {}] = make(at);
      return [time, what, message, 'architecture' in details ? { ...details, architecture: 0 } : details];
    },
  ]);
const viaRom: readonly Step[] = bios([
  [0, dhcp('offer-sent', IPXE, 'tftp://10.0.0.1:69/x/undionly.kpxe')],
  [1, dhcp('acknowledge-sent', IPXE, 'tftp://10.0.0.1:69/x/undionly.kpxe')],
  [10, line('tftp/file-sent', { file: 'x/undionly.kpxe' })],
  ...ipxe(),
]);
const viaProxy: readonly Step[] = [
  [0, dhcp('offer-sent', PXE, 'ipxe.efi', '0.0.0.0')],
  [0, line('dhcp/foreign-offer-seen', { server: '10.0.0.2' })],
  [
    4,
    line(
      'dhcp/request-ignored',
      { reason: 'other-server-selected', type: 'request' },
      'the client chose 10.0.0.2',
    ),
  ],
  [10, line('tftp/file-sent', { file: 'ipxe.efi' })],
  ...ipxe(),
];
const viaGrub: readonly Step[] = [
  ...pxe('grubx64.efi'),
  [2, line('tftp/file-not-found', { file: 'grub/grub.cfg-01-08-00-27-9e-f5-3a' })],
  [1, line('tftp/file-sent', { file: 'grub/grub.cfg' })],
  [5, line('tftp/file-sent', { file: 'vmlinuz-x86_64' })],
  [20, line('tftp/file-sent', { file: 'initramfs-x86_64' })],
];
const viaIso: readonly Step[] = [
  [0, line('http/iso-started', { bytes: 1 })],
  [15, line('http/iso-progressed', { bytes: 2 })],
  [15, line('http/iso-sent', { bytes: 3 })],
];

export const healthyBoots: Readonly<Record<string, readonly Step[]>> = {
  'UEFI PXE': [...viaPxe, ...hook, ...restart(viaPxe)],
  'UEFI HTTP': [...viaHttp, ...hook, ...restart(viaHttp)],
  'an iPXE ROM with HTTP': [...ipxe(), ...hook, ...restart(ipxe())],
  'an iPXE ROM without HTTP': [...viaRom, ...hook, ...restart(viaRom)],
  'a DHCP proxy': [...viaProxy, ...hook, ...restart(viaProxy)],
  GRUB: [...viaGrub, ...system],
  'an ISO image': [...viaIso, ...system],
  'an installed machine': restart(viaPxe),
};

/** Each step takes between a tenth and all of its usual time. */
export function linesOf(boot: readonly Step[], random: () => number): readonly Line[] {
  let at = 0;
  return boot.map(([usualSeconds, make]) => {
    at += usualSeconds * (0.1 + 0.9 * random());
    return make(at);
  });
}
