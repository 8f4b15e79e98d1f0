/** The resources of the simulated service, as the schemas of DSP0268 have them. */
import type { IpmiBootDevice } from '@tinkerbell/ipmi';
import type { RedfishLies } from './redfish-lies.ts';
import type { RedfishSimulatedMachine } from './redfish-machine.ts';
import { partsOf } from './redfish-parts.ts';
import { ACCOUNT, servicesOf, SUBSCRIPTIONS } from './redfish-services.ts';
import type { RedfishState } from './redfish-state.ts';
import { typeAt } from './redfish-schemas.ts';

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
  /** Where the boot override is changed. `settings`: as in firmware of AMI. Default: the system. */
  readonly bootIn?: 'system' | 'settings';
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
  readonly state: RedfishState;
}

export const link = (path: string) => ({ '@odata.id': path });
export const systemPath = ({ features }: Simulated): string =>
  `${ROOT}/Systems/${features.systems?.[0] ?? '1'}`;
const drivesPath = (simulated: Simulated): string =>
  `${simulated.features.mediaIn === 'system' ? systemPath(simulated) : MANAGER}/VirtualMedia`;
export const drivePath = (simulated: Simulated): string => `${drivesPath(simulated)}/CD`;

/** Methods of the resource at a path. */
export function methodsAt(simulated: Simulated, path: string): readonly string[] {
  if (path === SESSIONS || path === SUBSCRIPTIONS) return ['GET', 'POST'];
  const { sessions, subscriptions } = simulated.state;
  if (sessions.has(path) || subscriptions.has(path)) return ['GET', 'DELETE'];
  const system = systemPath(simulated);
  const changed = [
    system,
    drivePath(simulated),
    `${system}/SD`,
    `${system}/Bios/Settings`,
    `${system}/SecureBoot`,
    ACCOUNT,
  ];
  return changed.includes(path) ? ['GET', 'PATCH'] : ['GET'];
}

/** Undefined: there is nothing at the path. */
export async function resourceAt(simulated: Simulated, path: string): Promise<Fields | undefined> {
  const found = await fieldsAt(simulated, path);
  if (found === undefined) return undefined;
  const type = { '@odata.type': typeAt(path, isPaths(found)) };
  if (isPaths(found)) {
    return { ...type, Name: 'Collection', 'Members@odata.count': found.length, Members: found.map(link) };
  }
  return { ...type, Id: path.split('/').at(-1), Name: 'Resource', ...found };
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
    ...(simulated.features.bootIn === 'settings' ? { [`${system}/SD`]: () => settingsOf(simulated) } : {}),
    [`${system}/ResetActionInfo`]: () => ({
      Parameters: [{ Name: 'ResetType', AllowableValues: resetsOf(simulated.features) }],
    }),
    [`${ROOT}/Managers`]: () => [MANAGER],
    [MANAGER]: () => managerOf(simulated),
    [drives]: () => [`${drives}/Floppy`, `${drives}/CD`],
    [`${drives}/Floppy`]: () => ({ Id: 'Floppy', Name: 'Floppy', MediaTypes: ['Floppy', 'USBStick'] }),
    [`${drives}/CD`]: () => driveOf(simulated),
    ...partsOf(system),
    ...servicesOf({
      system,
      state: simulated.state,
      bmcVersion: simulated.machine.device.firmwareVersion,
    }),
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
    Id: 'RootService',
    Name: 'Root Service',
    RedfishVersion: '1.15.0',
    UUID: '4c4c4544-0051-3010-8042-b4c04f565931',
    ...(vendor === undefined ? {} : { Vendor: vendor }),
    Systems: link(`${ROOT}/Systems`),
    Managers: link(`${ROOT}/Managers`),
    Chassis: link(`${ROOT}/Chassis`),
    AccountService: link(`${ROOT}/AccountService`),
    Tasks: link(`${ROOT}/TaskService`),
    UpdateService: link(`${ROOT}/UpdateService`),
    EventService: link(`${ROOT}/EventService`),
    ...(hasSessions ? sessions : {}),
    ProtocolFeaturesSupported: { ExpandQuery: { NoLinks: features.canExpand === true } },
  };
}

async function systemOf(simulated: Simulated): Promise<Fields> {
  const { machine, features, lies } = simulated;
  const path = systemPath(simulated);
  const { reportsBoot = true, mediaIn, bootIn = 'system' } = features;
  return {
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
    ...(reportsBoot && bootIn === 'system' ? { Boot: bootOf(simulated) } : {}),
    ...(bootIn === 'settings' ? bootInSettings(path) : {}),
    Actions: resetAction(path, features),
    ...(mediaIn === 'system' ? { VirtualMedia: link(`${path}/VirtualMedia`) } : {}),
    Processors: link(`${path}/Processors`),
    Memory: link(`${path}/Memory`),
    Storage: link(`${path}/Storage`),
    EthernetInterfaces: link(`${path}/EthernetInterfaces`),
    Bios: link(`${path}/Bios`),
    SecureBoot: link(`${path}/SecureBoot`),
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

/** The system has what the current start used, and its settings have what the next one will use. */
function bootInSettings(path: string): Fields {
  return {
    '@Redfish.Settings': {
      '@odata.type': '#Settings.v1_3_5.Settings',
      SettingsObject: link(`${path}/SD`),
    },
    Boot: {
      BootSourceOverrideEnabled: 'Disabled',
      BootSourceOverrideTarget: 'None',
      'BootSourceOverrideTarget@Redfish.AllowableValues': [...Object.values(TARGETS), 'UefiHttp'],
    },
  };
}

/** The settings list no allowed values. */
function settingsOf(simulated: Simulated): Fields {
  const boot = Object.entries(bootOf(simulated)).filter(([name]) => !name.includes('@'));
  return { Name: 'Settings of the next start', Boot: Object.fromEntries(boot) };
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
