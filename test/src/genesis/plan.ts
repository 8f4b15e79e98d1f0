/** The machines of Genesis and their objects: those of examples/, with what a user edits. No file is read here. */
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { serialConsoleArguments, type ApiObject } from '@tinkerbell/sandbox';

/** The address of the stack. It moves with it. */
export const STACK_ADDRESS = '192.168.56.4';
/** The seed machine's own address. Its image server stays there. */
export const SEED_ADDRESS = '192.168.56.3';
export const IMAGES_PORT = 7090;
export const ROUTER_ADDRESS = '192.168.56.65';
export const GATEWAY = '10.10.20.1';
export const PROVISIONING_NETWORK = '10.10.20.0/24';
export const PLATFORM_ADDRESS = '10.10.20.49';
export const STAND_IN_IMAGE = 'stand-in.img.zst';

const IMAGES = `http://${SEED_ADDRESS}:${IMAGES_PORT}/images`;

export type MachineName = 'router' | 'platform' | 'node-1' | 'node-2' | 'node-3';

type Edit = readonly [from: string, to: string];

export interface PlannedMachine {
  readonly name: MachineName;
  /** What it becomes, for the picture. */
  readonly becomes: string;
  /** The folder of examples/. */
  readonly example: 'vyos' | 'talos' | 'harvester' | 'harvester-join';
  readonly mac: string;
  readonly firmware: 'bios' | 'uefi';
  readonly network: 'site' | 'provisioning';
  readonly workflow: string;
  /** Of the Hardware, and of the Workflow. */
  readonly edits: readonly Edit[];
}

const nodeEdits = (own: string, example: string, address: string): readonly Edit[] => [
  [own, example],
  ['/dev/nvme0n1', '/dev/vda'],
  [`address: ${address}`, `address: 10.10.20.${address.split('.')[3]}`],
  ['gateway: 192.168.56.4', `gateway: ${GATEWAY}`],
  ['192.168.56.70', '10.10.20.70'],
  [`http://${STACK_ADDRESS}:7080/images`, IMAGES],
  ['REPLACE-WITH-A-CLUSTER-TOKEN', 'genesis'],
  ['console=tty0', 'console=ttyS0 no_timer_check quiet'],
];

export const MACHINES: readonly PlannedMachine[] = [
  {
    name: 'router',
    becomes: 'VyOS (stand-in)',
    example: 'vyos',
    mac: '08:00:27:9e:f5:50',
    firmware: 'bios',
    network: 'site',
    workflow: 'router-vyos',
    edits: [
      ['machine-23', 'router'],
      ['/dev/sda', '/dev/vda'],
      ["eth0 address 'dhcp'", `eth0 address '${ROUTER_ADDRESS}/24'`],
      ['eth1 vif 20', 'eth1'],
      ['eth1.20', 'eth1'],
    ],
  },
  {
    name: 'platform',
    becomes: 'Talos (stand-in)',
    example: 'talos',
    mac: '08:00:27:9e:f5:40',
    firmware: 'bios',
    network: 'provisioning',
    workflow: 'platform-talos',
    edits: [
      ['machine-7', 'platform'],
      ['/dev/nvme0n1', '/dev/vda'],
      ['enp1s0', 'eth0'],
      ['address: 192.168.56.49', `address: ${PLATFORM_ADDRESS}`],
      ['gateway: 192.168.56.4', `gateway: ${GATEWAY}`],
      ['192.168.56.60', '10.10.20.60'],
    ],
  },
  {
    name: 'node-1',
    becomes: 'Harvester (stand-in), creates',
    example: 'harvester',
    mac: '08:00:27:9e:f5:4b',
    firmware: 'uefi',
    network: 'provisioning',
    workflow: 'node-1-harvester',
    edits: nodeEdits('machine-18', 'node-1', '192.168.56.60'),
  },
  ...(['node-2', 'node-3'] as const).map((name, index): PlannedMachine => ({
    name,
    becomes: 'Harvester (stand-in), joins',
    example: 'harvester-join',
    mac: `08:00:27:9e:f5:${(0x4c + index).toString(16)}`,
    firmware: 'uefi',
    network: 'provisioning',
    workflow: `${name}-harvester-join`,
    edits: [
      ...nodeEdits('machine-19', name, '192.168.56.61').filter(([from]) => !from.startsWith('address')),
      ['address: 192.168.56.61', `address: 10.10.20.${62 + index}`],
      ['08:00:27:9e:f5:4c', `08:00:27:9e:f5:${(0x4c + index).toString(16)}`],
    ],
  })),
];

/** The action before which the first node waits while the stack moves. */
export const AWAITED_ACTION = 'start the installer';

/** The Template of all nodes: the disk is cleared first. */
export const NODE_TEMPLATE = 'genesis-node';

export interface MachineTexts {
  readonly hardware: string;
  readonly workflow: string;
}

export interface MachineObjects {
  readonly hardware: ApiObject;
  readonly workflow: ApiObject;
}

/**
 * Returns the objects of a machine from the texts of its example. `checksums` replaces values of the Workflow.
 *
 * @throws Error when the example has none of what an edit replaces.
 */
export function objectsOf(
  machine: PlannedMachine,
  { hardware, workflow }: MachineTexts,
  checksums: Readonly<Record<string, string>>,
): MachineObjects {
  for (const [from] of machine.edits)
    if (!hardware.includes(from) && !workflow.includes(from))
      throw new Error(
        `examples/${machine.example} has no ${JSON.stringify(from)}: correct the plan of Genesis`,
      );
  const edited = (text: string): ApiObject =>
    objectIn(
      machine.example,
      machine.edits.reduce((whole, [from, to]) => whole.replaceAll(from, to), text),
    );
  return {
    hardware: withSerialConsole(edited(hardware), machine.firmware),
    workflow: withValues(edited(workflow), machine, checksums),
  };
}

/** @throws Error when the text is not one YAML document. */
export function objectIn(name: string, text: string): ApiObject {
  const parsed = parseYaml(text);
  if (!parsed.ok) throw new Error(`${name}: ${parsed.error.message}`);
  const [document] = parsed.documents;
  if (document === undefined) throw new Error(`${name}: an empty file`);
  return toJson(document) as unknown as ApiObject;
}

function withSerialConsole(hardware: ApiObject, firmware: PlannedMachine['firmware']): ApiObject {
  const spec = hardware['spec'] as { interfaces: { netboot: object }[] };
  const interfaces = spec.interfaces.map((one) => ({
    ...one,
    netboot: { ...one.netboot, osie: { kernelParams: serialConsoleArguments(firmware) } },
  }));
  return { ...hardware, spec: { ...spec, interfaces } };
}

function withValues(
  workflow: ApiObject,
  { name, example, workflow: ownName }: PlannedMachine,
  checksums: Readonly<Record<string, string>>,
): ApiObject {
  const spec = workflow['spec'] as { templateRef: string; hardwareMap: Record<string, string> };
  const isNode = name.startsWith('node');
  const values = isNode
    ? { ...checksums, files: `${IMAGES}/harvester` }
    : { image_url: `${IMAGES}/${STAND_IN_IMAGE}` };
  return {
    ...workflow,
    metadata: { ...workflow.metadata, name: ownName },
    spec: {
      ...spec,
      templateRef: isNode ? NODE_TEMPLATE : example,
      hardwareMap: { ...spec.hardwareMap, ...values },
    },
  };
}

/** The settings of the server on the platform machine. Requests of machines reach it through the relay. */
export const PLATFORM_SETTINGS = `data-dir: /var/lib/tinkerbell
hook-dir: /usr/lib/tinkerbell-os
public-ipv4: ${STACK_ADDRESS}
dhcp-bind-addr: ${STACK_ADDRESS}
ipxe-http-script-extra-kernel-args: [no_timer_check]
`;
