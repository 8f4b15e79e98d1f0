/** The rules of a Hardware that a schema cannot express. */
import type { Problem } from '../problem.ts';
import type { HardwareSpec } from './hardware.ts';

export function dhcpProblems(hardware: unknown): Problem[] {
  const { spec } = hardware as { spec?: HardwareSpec };
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
    if (value !== undefined && value !== '' && !isIpv4(value) && !isIpv6Like(value)) {
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

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6Like(text: string): boolean {
  return text.includes(':') && /^[0-9a-fA-F:.]{2,45}$/.test(text);
}
