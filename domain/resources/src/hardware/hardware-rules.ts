/** The rules of a Hardware that a schema cannot express. */
import { parseIpv4, parseIpv6 } from '@tinkerbell/wire';
import type { Problem } from '../problem.ts';
import type { Resource } from '../resource.ts';
import type { HardwareSpec } from './hardware.ts';

export function dhcpProblems({
  spec,
}: Resource<HardwareSpec> & Readonly<Record<string, unknown>>): Problem[] {
  const problems: Problem[] = [];
  for (const [index, networkInterface] of (spec?.interfaces ?? []).entries()) {
    const dhcp = networkInterface.dhcp;
    if (dhcp === undefined) continue;
    const path = ['spec', 'interfaces', index, 'dhcp'];
    problems.push(...addressProblems(dhcp.ip ?? {}, [...path, 'ip']));
  }
  return problems;
}

type IpSettings = NonNullable<NonNullable<NonNullable<HardwareSpec['interfaces']>[number]['dhcp']>['ip']>;

function addressProblems(ip: IpSettings, path: readonly (string | number)[]): Problem[] {
  const problems: Problem[] = [];
  for (const field of ['address', 'netmask', 'gateway'] as const) {
    const value = ip[field];
    if (
      value !== undefined &&
      value !== '' &&
      parseIpv4(value) === undefined &&
      parseIpv6(value) === undefined
    ) {
      problems.push({
        reason: 'invalid',
        path: [...path, field],
        value,
        message: 'must be an IP address, for example "192.168.1.10"',
      });
    }
  }
  return problems;
}
