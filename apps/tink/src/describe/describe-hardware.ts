import type { Hardware, HardwareSpec, NetworkInterface, Workflow } from '@tinkerbell/resources';
import { shownState } from '@tinkerbell/workflow';
import { inventorySection } from './describe-inventory.ts';
import type { JournalRecord } from '@tinkerbell/store-contract';
import {
  type Field,
  type Row,
  fieldsText,
  identityFields,
  tableSection,
  timelineSection,
} from './describe-text.ts';

/** Formats the network interfaces, the workflows of this Hardware, and the last lines of its machine's timeline. */
export function describeHardware(
  hardware: Hardware,
  workflows: readonly Workflow[],
  timeline: readonly JournalRecord[],
): string {
  const { metadata, spec = {}, status } = hardware;
  return [
    fieldsText([...identityFields(hardware), ['State', status?.state], ...specFields(spec)]),
    tableSection('Network interfaces', interfaceHeader, (spec.interfaces ?? []).map(interfaceRow)),
    inventorySection(hardware),
    tableSection('Workflows', workflowHeader, workflows.map(workflowRow)),
    timelineSection(timeline, `tink events --machine ${metadata.name} -n ${metadata.namespace}`),
  ].join('');
}

function specFields({ agentID, bmcRef, disks = [], metadata }: HardwareSpec): readonly Field[] {
  const { id, hostname, state, operating_system } = metadata?.instance ?? {};
  return [
    ['Agent', agentID],
    ['Instance', [id, hostname, state].filter(Boolean).join(', ')],
    ['Operating system', operating_system?.slug ?? operating_system?.os_slug],
    ['Disks', disks.map(({ device }) => device).join(', ')],
    ['BMC', bmcRef && `${bmcRef.kind.toLowerCase()}/${bmcRef.name}`],
  ];
}

const interfaceHeader = ['MAC', 'ADDRESS', 'NETMASK', 'GATEWAY', 'HOSTNAME', 'NETBOOT', 'WORKFLOWS'];

function interfaceRow({ dhcp = {}, netboot, disableDhcp }: NetworkInterface): Row {
  const { address, netmask, gateway } = dhcp.ip ?? {};
  const netbooting = disableDhcp ? 'no DHCP' : allowance(netboot?.allowPXE);
  return [dhcp.mac, address, netmask, gateway, dhcp.hostname, netbooting, allowance(netboot?.allowWorkflow)];
}

function allowance(isAllowed: boolean | undefined): string {
  return isAllowed ? 'allowed' : 'not allowed';
}

const workflowHeader = ['NAME', 'TEMPLATE', 'STATE', 'ACTION', 'CREATED'];

function workflowRow({ metadata, spec, status }: Workflow): Row {
  const state = shownState(status) || 'not started';
  return [
    metadata.name,
    spec?.templateRef,
    state,
    status?.currentState?.actionName,
    metadata.creationTimestamp,
  ];
}
