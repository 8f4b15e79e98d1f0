/** The rules of a Hardware that a schema cannot express. */
import { parseIpv4, parseIpv6 } from '@tinkerbell/wire';
import type { Problem } from '../problem.ts';
import type { Resource } from '../resource.ts';
import type { HardwareSpec } from './hardware.ts';

export function dhcpProblems(
  { spec }: Resource<HardwareSpec> & Readonly<Record<string, unknown>>,
  before?: Resource,
): Problem[] {
  const problems: Problem[] = [];
  // A change of the status keeps the spec, which was checked before.
  if (spec === before?.spec) return problems;
  spec?.interfaces?.forEach(({ dhcp }, index) => {
    for (const field of addressFields) {
      const value = dhcp?.ip?.[field];
      if (isAddress(value)) continue;
      problems.push({
        reason: 'invalid',
        path: ['spec', 'interfaces', index, 'dhcp', 'ip', field],
        value,
        message: 'must be an IP address, for example "192.168.1.10"',
      });
    }
  });
  return problems;
}

const addressFields = ['address', 'netmask', 'gateway'] as const;

function isAddress(value: string | undefined): boolean {
  if (value === undefined || value === '') return true;
  return parseIpv4(value) !== undefined || parseIpv6(value) !== undefined;
}
