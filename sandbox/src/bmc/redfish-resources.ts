/** The resources of the simulated service, as the schemas of DSP0268 have them. */
import type { IpmiBootDevice } from '@tinkerbell/ipmi';
import type { RedfishLies } from './redfish-lies.ts';
import type { RedfishSimulatedMachine } from './redfish-machine.ts';
import { partsOf } from './redfish-parts.ts';

export interface RedfishFeatures {
  /** Default: no vendor. */
  readonly vendor?: string;
  /** Values of ResetType. */
  readonly resets?: readonly string[];
  /** Lists them in an ActionInfo resource instead of the action. */
  readonly hasActionInfo?: boolean;
  readonly hasSessions?: boolean;
  /** Members of a page of a collection. */
  readonly pageSize?: number;
  /** Sends whole resources as the members of a collection, when a client asks for them. */
  readonly canExpand?: boolean;
  /** Which resource has the virtual drives. Default: the manager. */
  readonly mediaIn?: 'system' | 'manager';
  /** The drives have no actions, and take a PATCH. */
  readonly hasMediaActions?: boolean;
  readonly reportsMode?: boolean;
  readonly reportsBoot?: boolean;
  /** The names of the systems. The machine is the first. */
  readonly systems?: readonly string[];
}

export const ROOT = '/redfish/v1';
export const SESSIONS = `${ROOT}/SessionService/Sessions`;
export const TASKS = `${ROOT}/TaskService/Tasks`;
export const MANAGER = `${ROOT}/Managers/bmc`;

const RESETS = [
  'On',
  'ForceOff',
  'GracefulShutdown',
  'ForceRestart',
  'PowerCycle',
  'PushPowerButton',
] as const;
const TARGETS: Readonly<Partial<Record<IpmiBootDevice, string>>> = {
  none: 'None',
  pxe: 'Pxe',
  disk: 'Hdd',
  bios: 'BiosSetup',
  cdrom: 'Cd',
};

export type Fields = Readonly<Record<string, unknown>>;

export interface Simulated {
  readonly machine: RedfishSimulatedMachine;
  readonly features: RedfishFeatures;
  readonly lies: RedfishLies;
}

export const link = (path: string) => ({ '@odata.id': path });
export const systemPath = ({ features }: Simulated): string =>
  `${ROOT}/Systems/${features.systems?.[0] ?? '1'}`;
const drivesPath = (simulated: Simulated): string =>
  `${simulated.features.mediaIn === 'system' ? systemPath(simulated) : MANAGER}/VirtualMedia`;
export const drivePath = (simulated: Simulated): string => `${drivesPath(simulated)}/CD`;

/** Undefined: there is nothing at the path. */
export async function resourceAt(simulated: Simulated, path: string): Promise<Fields | undefined> {
  const found = await fieldsAt(simulated, path);
  if (found === undefined) return undefined;
  return isPaths(found) ? { Name: 'Collection', Members: found.map(link) } : found;
}

function isPaths(found: Fields | readonly string[]): found is readonly string[] {
  return Array.isArray(found);
}

async function fieldsAt(simulated: Simulated, path: string): Promise<Fields | readonly string[] | undefined> {
  const system = systemPath(simulated);
  const drives = drivesPath(simulated);
  const found: Readonly<Record<string, () => Fields | readonly string[] | Promise<Fields>>> = {
    [ROOT]: () => rootOf(simulated),
    [`${ROOT}/Systems`]: () => (simulated.features.systems ?? ['1']).map((name) => `${ROOT}/Systems/${name}`),
    [system]: () => systemOf(simulated),
    [`${system}/ResetActionInfo`]: () => ({
      Parameters: [{ Name: 'ResetType', AllowableValues: resetsOf(simulated.features) }],
    }),
    [`${ROOT}/Managers`]: () => [MANAGER],
    [MANAGER]: () => managerOf(simulated),
    [drives]: () => [`${drives}/Floppy`, `${drives}/CD`],
    [`${drives}/Floppy`]: () => ({ Id: 'Floppy', Name: 'Floppy', MediaTypes: ['Floppy', 'USBStick'] }),
    [`${drives}/CD`]: () => driveOf(simulated),
    ...partsOf(system),
  };
  for (const name of simulated.features.systems?.slice(1) ?? [])
    if (path === `${ROOT}/Systems/${name}`) return { Id: name, Name: name, Actions: resetAction(path, {}) };
  return Object.hasOwn(found, path) ? await found[path]?.() : undefined;
}

function rootOf({ features }: Simulated): Fields {
  const { vendor, hasSessions = true } = features;
  const sessions = {
    SessionService: link(`${ROOT}/SessionService`),
    Links: { Sessions: link(SESSIONS) },
  };
  return {
    '@odata.type': '#ServiceRoot.v1_15_0.ServiceRoot',
    Id: 'RootService',
    Name: 'Root Service',
    RedfishVersion: '1.15.0',
    UUID: '4c4c4544-0051-3010-8042-b4c04f565931',
    ...(vendor === undefined ? {} : { Vendor: vendor }),
    Systems: link(`${ROOT}/Systems`),
    Managers: link(`${ROOT}/Managers`),
    Chassis: link(`${ROOT}/Chassis`),
    ...(hasSessions ? sessions : {}),
    ProtocolFeaturesSupported: { ExpandQuery: { NoLinks: features.canExpand === true } },
  };
}

async function systemOf(simulated: Simulated): Promise<Fields> {
  const { machine, features, lies } = simulated;
  const path = systemPath(simulated);
  const { reportsBoot = true, mediaIn } = features;
  return {
    '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
    Id: path.split('/').at(-1),
    Name: 'Simulated system',
    Manufacturer: 'Tinkerbell',
    Model: 'Sandbox',
    SerialNumber: 'S-1',
    SKU: 'SKU-1',
    UUID: '4c4c4544-0051-3010-8042-b4c04f565931',
    BiosVersion: '1.2.3',
    SystemType: 'Physical',
    Status: { State: 'Enabled', Health: 'OK' },
    PowerState: lies.powerState ?? ((await machine.isOn()) ? 'On' : 'Off'),
    ...(reportsBoot ? { Boot: bootOf(simulated) } : {}),
    Actions: resetAction(path, features),
    ...(mediaIn === 'system' ? { VirtualMedia: link(`${path}/VirtualMedia`) } : {}),
    Processors: link(`${path}/Processors`),
    Memory: link(`${path}/Memory`),
    Storage: link(`${path}/Storage`),
    EthernetInterfaces: link(`${path}/EthernetInterfaces`),
    ProcessorSummary: { Count: 2 },
    MemorySummary: { TotalSystemMemoryGiB: 64 },
    TrustedModules: [{ InterfaceType: 'TPM2_0', FirmwareVersion: '7.2', Status: { State: 'Enabled' } }],
    Links: { ManagedBy: [link(MANAGER)], Chassis: [link(`${ROOT}/Chassis/1`)] },
  };
}

function resetsOf({ resets = RESETS }: RedfishFeatures): readonly string[] {
  return resets;
}

function resetAction(path: string, features: RedfishFeatures): Fields {
  const values =
    features.hasActionInfo === true
      ? { '@Redfish.ActionInfo': `${path}/ResetActionInfo` }
      : { 'ResetType@Redfish.AllowableValues': resetsOf(features) };
  return {
    '#ComputerSystem.Reset': { target: `${path}/Actions/ComputerSystem.Reset`, ...values },
  };
}

function bootOf({ machine, features }: Simulated): Fields {
  const { bootFlags: flags, httpBootUri } = machine;
  const { reportsMode = true } = features;
  const isSet = flags?.isValid === true;
  return {
    BootSourceOverrideEnabled: enabledOf(flags),
    BootSourceOverrideTarget: httpBootUri === undefined ? targetOf(flags?.device) : 'UefiHttp',
    ...(reportsMode ? { BootSourceOverrideMode: isSet && !flags.isEfi ? 'Legacy' : 'UEFI' } : {}),
    HttpBootUri: httpBootUri ?? null,
    'BootSourceOverrideTarget@Redfish.AllowableValues': [...Object.values(TARGETS), 'UefiHttp'],
    'BootSourceOverrideMode@Redfish.AllowableValues': ['UEFI', 'Legacy'],
  };
}

function enabledOf(flags: RedfishSimulatedMachine['bootFlags']): string {
  if (flags?.isValid !== true) return 'Disabled';
  return flags.isPersistent ? 'Continuous' : 'Once';
}

function targetOf(device: IpmiBootDevice = 'none'): string {
  return TARGETS[device] ?? 'None';
}

/** The device of a value of BootSourceOverrideTarget. */
export function deviceOf(target: string): IpmiBootDevice | undefined {
  if (target === 'UefiHttp') return 'pxe';
  const devices: readonly IpmiBootDevice[] = ['none', 'pxe', 'disk', 'bios', 'cdrom'];
  return devices.find((one) => TARGETS[one] === target);
}

function managerOf({ features, machine }: Simulated): Fields {
  const media = features.mediaIn === 'system' ? {} : { VirtualMedia: link(`${MANAGER}/VirtualMedia`) };
  return {
    '@odata.type': '#Manager.v1_15_0.Manager',
    Id: 'bmc',
    Name: 'Manager',
    ManagerType: 'BMC',
    Model: 'Simulated BMC',
    FirmwareVersion: machine.device.firmwareVersion,
    Status: { State: 'Enabled', Health: 'OK' },
    EthernetInterfaces: link(`${MANAGER}/EthernetInterfaces`),
    ...media,
  };
}

function driveOf(simulated: Simulated): Fields {
  const { machine, features } = simulated;
  const path = drivePath(simulated);
  const actions = {
    '#VirtualMedia.InsertMedia': { target: `${path}/Actions/VirtualMedia.InsertMedia` },
    '#VirtualMedia.EjectMedia': { target: `${path}/Actions/VirtualMedia.EjectMedia` },
  };
  return {
    '@odata.type': '#VirtualMedia.v1_6_0.VirtualMedia',
    Id: 'CD',
    Name: 'Virtual CD',
    MediaTypes: ['CD', 'DVD'],
    Image: machine.media ?? null,
    ImageName: machine.media?.split('/').at(-1) ?? null,
    Inserted: machine.media !== undefined,
    WriteProtected: true,
    ConnectedVia: machine.media === undefined ? 'NotConnected' : 'URI',
    ...(features.hasMediaActions === false ? {} : { Actions: actions }),
  };
}
