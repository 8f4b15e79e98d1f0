/** Whether a machine has what a system needs. Pure. */
import { isRecord, type Hardware } from '@tinkerbell/resources';
import { reportedAttributes } from '@tinkerbell/enrollment';
import type { Finding } from './finding.ts';
import type { SystemFacts } from './systems.ts';

const BYTES_PER_MEBIBYTE = 1024 * 1024;

export function machineFindings(
  machine: Hardware,
  stored: Hardware | undefined,
  facts: SystemFacts | undefined,
): readonly Finding[] {
  return [
    ...diskFindings(machine),
    ...(facts === undefined ? [] : [memoryFinding(machine, stored, facts), firmwareFinding(machine, facts)]),
    ...(facts?.userData === undefined ? [] : [userDataFinding(machine, facts.userData)]),
  ];
}

/** Returns what makes the findings of one item. */
function finder({ name }: Hardware['metadata'], item: Finding['item']) {
  return (level: Finding['level'], message: string): Finding => ({ machine: name, item, level, message });
}

function diskFindings({ metadata, spec }: Hardware): readonly Finding[] {
  const disks = (spec?.disks ?? []).map(({ device = '' }) => device);
  const of = finder(metadata, 'disk');
  if (disks.length === 0)
    return [
      of('missing', 'spec.disks is empty: name the disk, for example /dev/disk/by-id/nvme-MODEL_SERIAL'),
    ];
  return disks.map((disk) =>
    disk.startsWith('/dev/disk/by-id/')
      ? of('ok', disk)
      : of('warning', `${disk} may be another disk after a restart: use its name in /dev/disk/by-id`),
  );
}

function memoryFinding(machine: Hardware, stored: Hardware | undefined, facts: SystemFacts): Finding {
  const found = memoryOf(stored) ?? memoryOf(machine);
  const of = finder(machine.metadata, 'memory');
  const wanted = `${facts.name} needs ${facts.memoryMebibytes} MiB`;
  if (found === undefined)
    return of('warning', `the server does not know the memory of the machine; ${wanted}`);
  const isEnough = found >= facts.memoryMebibytes;
  return of(isEnough ? 'ok' : 'missing', isEnough ? `${found} MiB` : `${found} MiB; ${wanted}`);
}

/** In MiB: from the BMC, or else from the agent. */
function memoryOf(machine: Hardware | undefined): number | undefined {
  const bytes = machine?.status?.attributes?.outOfBand?.memory?.totalBytes ?? 0;
  if (bytes > 0) return Math.round(bytes / BYTES_PER_MEBIBYTE);
  return mebibytesIn(reportedMemory(machine));
}

/** Of `32GB`, in the units of 1024 that agents use. */
function mebibytesIn(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+)([KMGT])B$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * 1024 ** ('KMGT'.indexOf(unit) - 1);
}

/** What the agent has reported: `32GB`. */
function reportedMemory(machine: Hardware | undefined): string {
  const memory = machine && reportedAttributes(machine)?.['memory'];
  const total = isRecord(memory) ? memory['total'] : undefined;
  return typeof total === 'string' ? total : '';
}

function firmwareFinding({ metadata, spec }: Hardware, facts: SystemFacts): Finding {
  const hasUefi = (spec?.interfaces ?? []).some(({ dhcp }) => dhcp?.uefi === true);
  const of = finder(metadata, 'firmware');
  if (facts.firmware === 'any') return of('ok', 'any');
  return hasUefi
    ? of('ok', 'UEFI')
    : of('missing', `${facts.name} needs UEFI: set uefi: true in spec.interfaces[].dhcp`);
}

function userDataFinding({ metadata, spec }: Hardware, document: string): Finding {
  const text = spec?.userData ?? '';
  const of = finder(metadata, 'user-data');
  return text === '' ? of('missing', `spec.userData is empty: it holds the ${document}`) : of('ok', document);
}
