/** The machines of Genesis. Their objects are those of examples/genesis, with what a user edits. No file is read here. */
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { EMULATED_KERNEL_ARGUMENTS, serialConsoleArguments, type ApiObject } from '@tinkerbell/sandbox';

/** The address of the stack. It moves with it. */
export const STACK_ADDRESS = '192.168.56.4';
/** The seed machine's own address. Its image server stays there. */
export const SEED_ADDRESS = '192.168.56.3';
export const IMAGES_PORT = 7090;
export const ROUTER_ADDRESS = '192.168.56.65';
export const PROVISIONING_NETWORK = '10.10.20.0/24';
export const PLATFORM_ADDRESS = '10.10.20.49';
/** One image takes the place of both. */
export const STAND_IN_IMAGES = ['vyos.img.zst', 'talos.img.zst'] as const;

export type MachineName = 'router' | 'platform' | 'node-1' | 'node-2' | 'node-3';

export interface PlannedMachine {
  readonly name: MachineName;
  /** What it becomes, for the picture. */
  readonly becomes: string;
  readonly firmware: 'bios' | 'uefi';
  readonly network: 'site' | 'provisioning';
}

export const MACHINES: readonly PlannedMachine[] = [
  { name: 'router', becomes: 'VyOS (stand-in)', firmware: 'bios', network: 'site' },
  { name: 'platform', becomes: 'Talos (stand-in)', firmware: 'bios', network: 'provisioning' },
  { name: 'node-1', becomes: 'Harvester (stand-in), creates', firmware: 'uefi', network: 'provisioning' },
  { name: 'node-2', becomes: 'Harvester (stand-in), joins', firmware: 'uefi', network: 'provisioning' },
  { name: 'node-3', becomes: 'Harvester (stand-in), joins', firmware: 'uefi', network: 'provisioning' },
];

/** The action before which the first node waits while the stack moves. */
export const AWAITED_ACTION = 'start the installer';

export interface SiteTexts {
  readonly hardware: string;
  readonly workflow: string;
}

export interface MachineObjects {
  readonly mac: string;
  readonly hardware: ApiObject;
  readonly workflow: ApiObject;
}

/**
 * Returns the objects of a machine. The console of its in-memory OS is the serial port. `checksums` replaces values of the Workflow
 * of a node.
 *
 * @throws Error when the files have no Hardware of its name, or no Workflow for it.
 */
export function objectsOf(
  { name, firmware }: PlannedMachine,
  texts: SiteTexts,
  checksums: Readonly<Record<string, string>>,
): MachineObjects {
  const hardware = objectsIn('hardware.yaml', texts.hardware).find(({ metadata }) => metadata.name === name);
  if (hardware === undefined) throw new Error(`examples/genesis/hardware.yaml has no Hardware ${name}`);
  const workflow = objectsIn('workflow.yaml', texts.workflow).find(
    (one) => (one['spec'] as { hardwareRef?: string }).hardwareRef === name,
  );
  if (workflow === undefined)
    throw new Error(`examples/genesis/workflow.yaml has no Workflow with the hardwareRef ${name}`);
  const spec = hardware['spec'] as { interfaces: { dhcp: { mac: string } }[] };
  return {
    mac: spec.interfaces[0]?.dhcp.mac ?? '',
    hardware: withSerialConsole(hardware, firmware),
    workflow: name.startsWith('node') ? withValues(workflow, checksums) : workflow,
  };
}

/** @throws Error that names the file when the text is not YAML. */
export function objectsIn(file: string, text: string): readonly ApiObject[] {
  const parsed = parseYaml(text);
  if (!parsed.ok) throw new Error(`${file}:${parsed.error.position.line}: ${parsed.error.message}`);
  return parsed.documents.map((document) => toJson(document) as unknown as ApiObject);
}

function withSerialConsole(hardware: ApiObject, firmware: PlannedMachine['firmware']): ApiObject {
  const spec = hardware['spec'] as { interfaces: { netboot: object }[] };
  const interfaces = spec.interfaces.map((one) => ({
    ...one,
    netboot: { ...one.netboot, osie: { kernelParams: serialConsoleArguments(firmware) } },
  }));
  return { ...hardware, spec: { ...spec, interfaces } };
}

function withValues(workflow: ApiObject, checksums: Readonly<Record<string, string>>): ApiObject {
  const spec = workflow['spec'] as { hardwareMap: Record<string, string> };
  const values = { ...checksums, kernel_arguments: `console=ttyS0 ${EMULATED_KERNEL_ARGUMENTS} quiet` };
  return { ...workflow, spec: { ...spec, hardwareMap: { ...spec.hardwareMap, ...values } } };
}

/** The settings of the server on the platform machine. Requests of machines reach it through the relay. */
export const PLATFORM_SETTINGS = `data-dir: /var/lib/tinkerbell
hook-dir: /usr/lib/tinkerbell-os
public-ipv4: ${STACK_ADDRESS}
dhcp-bind-addr: ${STACK_ADDRESS}
tftp-server-bind-addr: ${STACK_ADDRESS}
ipxe-http-script-extra-kernel-args: [${EMULATED_KERNEL_ARGUMENTS}]
`;
