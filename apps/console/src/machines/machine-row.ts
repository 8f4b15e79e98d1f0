/** What the table of machines shows of a Hardware and its workflows. Pure. */
import type { BmcMachine, Hardware, Workflow } from '@tinkerbell/resources';
import { bootHealthOf } from '../machine/boot-condition.ts';
import { stateOf } from '../workflow/workflow-facts.ts';

export interface MachineRow {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly hostname: string;
  readonly macs: readonly string[];
  readonly addresses: readonly string[];
  /** The state of its newest workflow, or empty. */
  readonly state: string;
  readonly workflow: string;
  readonly run: Workflow | undefined;
  /** Of its last boot: `healthy`, `stopped` or empty. */
  readonly health: string;
  readonly netboot: 'allowed' | 'denied';
  readonly bmc: string;
  readonly power: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly created: string;
  readonly hardware: Hardware;
}

interface Others {
  readonly workflows: readonly Workflow[];
  readonly bmcs: readonly BmcMachine[];
}

/**
 * One row for each machine, in the order of `hardware`. A row of `before`, the rows of the last time, is used again if its objects are the
 * same: then the table does not draw it again, and a change of one machine costs little.
 */
export function machineRows(
  hardware: readonly Hardware[],
  { workflows, bmcs }: Others,
  before: readonly MachineRow[] = [],
): readonly MachineRow[] {
  const newest = newestByHardware(workflows);
  const power = new Map(bmcs.map((bmc) => [keyOf(bmc.metadata), bmc.status?.powerState ?? '']));
  return hardware.map((one, index) => {
    const old = before[index];
    if (old === undefined || old.hardware !== one) return rowOf(one, newest, power);
    const isSame = newest.get(old.key) === old.run && powerOf(old, power) === old.power;
    return isSame ? old : rowOf(one, newest, power);
  });
}

function powerOf(
  { namespace, bmc }: Pick<MachineRow, 'namespace' | 'bmc'>,
  power: ReadonlyMap<string, string>,
): string {
  return bmc === '' ? '' : (power.get(`${namespace}/${bmc}`) ?? '');
}

function rowOf(
  hardware: Hardware,
  newest: ReadonlyMap<string, Workflow>,
  power: ReadonlyMap<string, string>,
): MachineRow {
  const { name, namespace, labels = {}, creationTimestamp = '' } = hardware.metadata;
  const workflow = newest.get(`${namespace}/${name}`);
  const bmc = hardware.spec?.bmcRef?.name ?? '';
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    ...networkOf(hardware),
    state: workflow === undefined ? '' : stateOf(workflow),
    workflow: workflow?.metadata.name ?? '',
    run: workflow,
    health: bootHealthOf(hardware),
    bmc,
    power: powerOf({ namespace, bmc }, power),
    labels: Object.entries(labels),
    created: creationTimestamp,
    hardware,
  };
}

function networkOf({ spec }: Hardware): Pick<MachineRow, 'hostname' | 'macs' | 'addresses' | 'netboot'> {
  const interfaces = spec?.interfaces ?? [];
  return {
    hostname: interfaces[0]?.dhcp?.hostname ?? '',
    macs: interfaces.flatMap(({ dhcp }) => dhcp?.mac ?? []),
    addresses: interfaces.flatMap(({ dhcp }) => dhcp?.ip?.address ?? []),
    netboot: interfaces.some(({ netboot }) => netboot?.allowPXE === true) ? 'allowed' : 'denied',
  };
}

function newestByHardware(workflows: readonly Workflow[]): ReadonlyMap<string, Workflow> {
  const newest = new Map<string, Workflow>();
  for (const workflow of workflows) {
    const key = `${workflow.metadata.namespace}/${workflow.spec?.hardwareRef ?? ''}`;
    const other = newest.get(key);
    if (other === undefined || createdAt(other) < createdAt(workflow)) newest.set(key, workflow);
  }
  return newest;
}

function createdAt({ metadata }: Workflow): string {
  return metadata.creationTimestamp ?? '';
}

function keyOf({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
