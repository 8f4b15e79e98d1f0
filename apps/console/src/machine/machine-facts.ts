/** What identifies a machine, as names and texts. Pure. */
import type { Hardware, NetworkInterface } from '@tinkerbell/resources';

export type Fact = readonly [name: string, value: string | undefined];

export function machineFacts({ metadata, spec }: Hardware): readonly Fact[] {
  const instance = spec?.metadata?.instance;
  const labels = Object.entries(metadata.labels ?? {}).map((label) => label.join('='));
  return [
    ['Name', metadata.name],
    ['Namespace', metadata.namespace],
    ['Agent', spec?.agentID],
    ['BMC', spec?.bmcRef?.name],
    ['Disks', (spec?.disks ?? []).map(({ device }) => device).join(', ')],
    ['Instance', instance?.hostname ?? instance?.id],
    ['Labels', labels.join(', ')],
  ];
}

export function interfaceFacts({ dhcp, netboot }: NetworkInterface): readonly Fact[] {
  const { ip } = dhcp ?? {};
  return [
    ['MAC', dhcp?.mac],
    ['Address', ip?.address],
    ['Netmask', ip?.netmask],
    ['Gateway', ip?.gateway],
    ['Host name', dhcp?.hostname],
    ['Name servers', dhcp?.name_servers?.join(', ')],
    ['Architecture', dhcp?.arch],
    ['Netboot', netboot?.allowPXE === true ? 'allowed' : 'denied'],
  ];
}
