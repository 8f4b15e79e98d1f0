import { FunctionError, type FunctionSpec, INT, STRING, stringValue } from '@tinkerbell/go-template';
import { parseIpv4, prefixLengthOf } from '@tinkerbell/wire';
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

/**
 * Counts the leading one bits of an IPv4 netmask. Like Go's IPMask.Size it returns 0 when ones follow zeros.
 */
function prefixLength(netmask: string): number {
  const mask = parseIpv4(netmask.replace(/^(?:::|(?:0{1,4}:){5})ffff:(?=.*\.)/i, ''));
  if (mask === undefined) {
    if (isIpv6Address(netmask)) throw new FunctionError(`netmask must be IPv4: ${netmask}`);
    throw new FunctionError(`invalid netmask format: ${netmask}`);
  }
  return prefixLengthOf(mask) ?? 0;
}
