/** Lists machines that asked the server to boot and that have no Hardware. */
import { unknownMachinesIn, type UnknownMachine } from '../client/answers.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import { alignedText } from '../output/table-text.ts';

/** MAC with the manufacturer of the network interface. */
export type ListedMachine = UnknownMachine & { readonly vendor: string };

/** Most recently seen first. */
export async function unknownMachines({ client }: Session): Promise<readonly ListedMachine[]> {
  const items = unknownMachinesIn(await client.document('/unknown-machines'));
  const vendorOf = items.length === 0 ? () => '' : await vendors();
  return items.map((machine) => ({ ...machine, vendor: vendorOf(machine.mac) }));
}

export async function unknownMachine(session: Session, mac: string): Promise<ListedMachine | undefined> {
  return (await unknownMachines(session)).find((one) => one.mac === mac);
}

/** Looks up the IEEE's list of manufacturers, which is loaded only here because it is 5 MB. */
async function vendors(): Promise<(mac: string) => string> {
  const { default: makers } = await import('oui-data', { with: { type: 'json' } });
  return (mac) => {
    // The second bit of the first byte marks MACs assigned by software, such as hypervisors.
    if ((Number.parseInt(mac.slice(0, 2), 16) & 2) !== 0) return 'virtual or random';
    const maker = (makers as Readonly<Record<string, string>>)[
      mac.replaceAll(':', '').slice(0, 6).toUpperCase()
    ];
    return maker?.split('\n')[0] ?? 'unknown';
  };
}

/** By option 93 (RFC 4578 and the IANA registry): a description, and the processor architecture in Hardware. */
const architectures: ReadonlyMap<
  number,
  { readonly words: string; readonly arch: string; readonly uefi: boolean }
> = new Map([
  [0, { words: 'x86 BIOS', arch: 'x86_64', uefi: false }],
  [6, { words: 'x86 UEFI', arch: 'x86_64', uefi: true }],
  [7, { words: 'x86-64 UEFI', arch: 'x86_64', uefi: true }],
  [9, { words: 'x86-64 UEFI', arch: 'x86_64', uefi: true }],
  [10, { words: 'ARM32 UEFI', arch: 'aarch64', uefi: true }],
  [11, { words: 'ARM64 UEFI', arch: 'aarch64', uefi: true }],
  [15, { words: 'x86 UEFI HTTP', arch: 'x86_64', uefi: true }],
  [16, { words: 'x86-64 UEFI HTTP', arch: 'x86_64', uefi: true }],
  [19, { words: 'ARM64 UEFI HTTP', arch: 'aarch64', uefi: true }],
  [20, { words: 'x86 BIOS HTTP', arch: 'x86_64', uefi: false }],
  [41, { words: 'Raspberry Pi', arch: 'aarch64', uefi: true }],
]);

export function architectureOf(number: number) {
  return architectures.get(number) ?? { words: `number ${number}`, arch: 'x86_64', uefi: true };
}

/** Returns the command to copy. */
export function acceptLine(mac: string): string {
  return `tink hardware accept ${mac} --address ADDRESS/PREFIX`;
}

/** How a BMC is registered. */
export const DISCOVER_LINE = 'tink bmc discover --manifests';

function whyOf({ message }: UnknownMachine): string {
  return message === undefined ? 'it was answered' : printable(message);
}

const HEADER = [
  'MAC',
  'VENDOR',
  'ARCHITECTURE',
  'FIRST SEEN',
  'LAST SEEN',
  'PACKETS',
  'ASKED AS',
  'NOT ANSWERED BECAUSE',
];

export function unknownTable(machines: readonly ListedMachine[]): string {
  const rows = machines.map((machine) => [
    machine.mac,
    machine.vendor,
    machine.bmc === undefined ? architectureOf(machine.architecture).words : 'BMC',
    machine.firstSeen.slice(0, 19),
    machine.lastSeen.slice(0, 19),
    String(machine.count),
    machine.client,
    whyOf(machine),
  ]);
  return alignedText([HEADER, ...rows]);
}

/** Formats one machine, for `tink boot`. */
export function unknownText(machine: ListedMachine): string {
  const { mac, bmc, vendor, architecture, client, vendorClass, asked, count, firstSeen, lastSeen } = machine;
  return [
    bmc === undefined
      ? `${mac}: it asks to boot and is not registered\n  -> ${acceptLine(mac)}\n`
      : `${mac}: it is a BMC (${bmc}), which asks for its own address\n  -> ${DISCOVER_LINE}\n`,
    alignedText([
      ['', 'vendor', vendor],
      ...(bmc === undefined
        ? [['', 'architecture', architectureOf(architecture).words]]
        : [['', 'address', machine.address ?? 'not known yet']]),
      ['', 'asked', `${asked} as ${client}${vendorClass === '' ? '' : ` (${vendorClass})`}`],
      ['', 'seen', `${firstSeen} to ${lastSeen}, ${count} packets`],
      ['', 'not answered', whyOf(machine)],
    ]),
  ].join('');
}
