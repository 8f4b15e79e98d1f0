import { FunctionError, type FunctionSpec, INT, STRING, stringValue } from '@tinkerbell/go-template';
import { isIpv6Address } from './ip-address.ts';
import { text } from './operands.ts';

/** Tinkerbell's own functions for disks and networks. */
export const TINKERBELL_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  formatPartition: {
    params: [STRING, INT],
    result: STRING,
    call: ([device, number]) =>
      stringValue(partitionPath(text(device), number?.kind === 'integer' ? number.value : 0n)),
  },
  netmaskToPrefixLength: {
    params: [STRING],
    result: STRING,
    call: ([netmask]) => stringValue(String(prefixLength(text(netmask)))),
  },
};

/** Returns the path of a partition: `-part1` for links in /dev/disk, `p1` after a digit, else `1`. */
function partitionPath(device: string, number: bigint): string {
  if (device.startsWith('/dev/disk/')) return `${device}-part${number}`;
  return /[0-9]$/.test(device) ? `${device}p${number}` : `${device}${number}`;
}

/** Counts the leading one bits of an IPv4 netmask; 0 when ones follow zeros, as Go's IPMask.Size says. */
function prefixLength(netmask: string): number {
  const octets = ipv4Octets(netmask.replace(/^(?:::|(?:0{1,4}:){5})ffff:(?=.*\.)/i, ''));
  if (octets === undefined) {
    if (isIpv6Address(netmask)) throw new FunctionError(`netmask must be IPv4: ${netmask}`);
    throw new FunctionError(`invalid netmask format: ${netmask}`);
  }
  const bits = octets.map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return /^(1*)0*$/.exec(bits)?.[1]?.length ?? 0;
}

function ipv4Octets(address: string): number[] | undefined {
  const parts = address.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part))) return undefined;
  const octets = parts.map(Number);
  return octets.every((octet) => octet <= 255) ? octets : undefined;
}
