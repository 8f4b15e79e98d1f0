/** What changes and actions do to the simulated machine. */
import type { BootFlags, ChassisOperation, IpmiBootDevice } from '@tinkerbell/ipmi';
import { ACCOUNT } from './redfish-services.ts';
import { applyAtStart } from './redfish-state.ts';
import { deviceOf, drivePath, systemPath, type Fields, type Simulated } from './redfish-resources.ts';

/** `message` is the name of a message of the base registry. */
export interface ChangeRefusal {
  readonly status: number;
  readonly message: string;
  readonly about: readonly string[];
}

export interface Change {
  readonly method: string;
  readonly path: string;
  readonly body: Fields;
}

const RESETS: Readonly<Partial<Record<string, ChassisOperation>>> = {
  On: 'on',
  ForceOn: 'on',
  ForceOff: 'off',
  GracefulShutdown: 'soft',
  PushPowerButton: 'soft',
  ForceRestart: 'reset',
  PowerCycle: 'cycle',
};
const DEFAULT_RESETS = Object.keys(RESETS);

const badValue = (name: string): ChangeRefusal => ({
  status: 400,
  message: 'PropertyValueNotInList',
  about: [`#/${name}`],
});
const inSettings: ChangeRefusal = { status: 400, message: 'OperationSupportedInFutureStateURI', about: [] };
const notFound: ChangeRefusal = { status: 404, message: 'ResourceMissingAtURI', about: [] };

/** Undefined: it was done, or a lie pretends so. */
export async function perform(simulated: Simulated, change: Change): Promise<ChangeRefusal | undefined> {
  const drive = drivePath(simulated);
  const { hasMediaActions = true } = simulated.features;
  switch (`${change.method} ${change.path}`) {
    case `POST ${systemPath(simulated)}/Actions/ComputerSystem.Reset`:
      return await reset(simulated, change.body);
    case `POST ${drive}/Actions/VirtualMedia.InsertMedia`:
      return hasMediaActions ? insert(simulated, change.body) : notFound;
    case `POST ${drive}/Actions/VirtualMedia.EjectMedia`:
      return hasMediaActions ? setMedia(simulated, undefined) : notFound;
    case `PATCH ${ACCOUNT}`:
      return setPassword(simulated, change.body);
    case `PATCH ${drive}`:
      return changeDrive(simulated, change.body);
    default:
      return change.method === 'PATCH' ? changeSystem(simulated, change) : notFound;
  }
}

function setPassword({ state, lies }: Simulated, { Password }: Fields): ChangeRefusal | undefined {
  if (typeof Password !== 'string' || Password.length < 8 || Password.length > 20)
    return badValue('Password');
  if (lies.ignoresPassword !== true) state.password = Password;
  return undefined;
}

function changeSystem(simulated: Simulated, { path, body }: Change): ChangeRefusal | undefined {
  const system = systemPath(simulated);
  const { bootIn = 'system' } = simulated.features;
  switch (path) {
    case system:
      return bootIn === 'system' ? setBoot(simulated, body['Boot']) : inSettings;
    case `${system}/SD`:
      return bootIn === 'settings' ? setBoot(simulated, body['Boot']) : notFound;
    case `${system}/Bios/Settings`:
      return setBios(simulated, body['Attributes']);
    case `${system}/SecureBoot`:
      return setSecureBoot(simulated, body['SecureBootEnable']);
    default:
      return notFound;
  }
}

async function reset(
  { machine, lies, features, state }: Simulated,
  body: Fields,
): Promise<ChangeRefusal | undefined> {
  const type = body['ResetType'];
  const isAllowed = typeof type === 'string' && (features.resets ?? DEFAULT_RESETS).includes(type);
  const operation = isAllowed ? RESETS[type] : undefined;
  if (operation === undefined)
    return { status: 400, message: 'ActionParameterValueNotInList', about: ['ResetType'] };
  if (lies.ignoresPower === true) return undefined;
  if (lies.losesOverride === true && operation !== 'off') machine.bootFlags = undefined;
  await machine.power(operation);
  if (operation === 'on' || operation === 'cycle' || operation === 'reset') applyAtStart(state);
  return undefined;
}

function setBios({ state }: Simulated, attributes: unknown): ChangeRefusal | undefined {
  if (typeof attributes !== 'object' || attributes === null) return badValue('Attributes');
  const given = Object.entries(attributes);
  const wrong = given.find(([name, value]) => typeof value !== typeof state.bios.get(name));
  if (wrong !== undefined) return badValue(`Attributes/${wrong[0]}`);
  for (const [name, value] of given) state.pendingBios.set(name, value);
  return undefined;
}

function setSecureBoot({ state }: Simulated, isEnabled: unknown): ChangeRefusal | undefined {
  if (typeof isEnabled !== 'boolean') return badValue('SecureBootEnable');
  state.secureBoot = { ...state.secureBoot, isEnabled };
  return undefined;
}

function setBoot(simulated: Simulated, boot: unknown): ChangeRefusal | undefined {
  const { machine, lies } = simulated;
  if (typeof boot !== 'object' || boot === null) return badValue('Boot');
  const given = new Map<string, unknown>(Object.entries(boot));
  if (lies.refusesMode === true && given.has('BootSourceOverrideMode'))
    return { status: 400, message: 'PropertyNotWritable', about: ['#/Boot/BootSourceOverrideMode'] };
  const target = given.get('BootSourceOverrideTarget') ?? 'None';
  const device = typeof target === 'string' ? deviceOf(target) : undefined;
  if (device === undefined) return badValue('Boot/BootSourceOverrideTarget');
  if (lies.ignoresBootDevice === true) return undefined;
  const uri = given.get('HttpBootUri');
  machine.bootFlags = flagsOf(simulated, { device, given });
  const keepsUri = target === 'UefiHttp' && lies.losesHttpBootUri !== true;
  machine.httpBootUri = keepsUri && typeof uri === 'string' ? uri : undefined;
  return undefined;
}

function flagsOf(
  { machine }: Simulated,
  { device, given }: { readonly device: IpmiBootDevice; readonly given: ReadonlyMap<string, unknown> },
): BootFlags | undefined {
  const enabled = given.get('BootSourceOverrideEnabled') ?? 'Once';
  if (enabled === 'Disabled' || device === 'none') return undefined;
  const mode = given.get('BootSourceOverrideMode');
  const isEfi = mode === undefined ? (machine.bootFlags?.isEfi ?? true) : mode === 'UEFI';
  return { isValid: true, isPersistent: enabled === 'Continuous', isEfi, device };
}

function insert(simulated: Simulated, body: Fields): ChangeRefusal | undefined {
  const { lies, machine } = simulated;
  const image = body['Image'];
  if (typeof image !== 'string') return { status: 400, message: 'ActionParameterMissing', about: ['Image'] };
  const { insertNeeds: needed } = lies;
  if (needed !== undefined && !(needed in body))
    return { status: 400, message: 'ActionParameterMissing', about: ['InsertMedia', needed] };
  if (machine.media !== undefined && lies.ignoresMedia !== true)
    return { status: 409, message: 'ResourceInUse', about: [] };
  return setMedia(simulated, image);
}

/** Like Lenovo SD530, it inserts only when Inserted is stated. */
function changeDrive(simulated: Simulated, body: Fields): ChangeRefusal | undefined {
  const { Image: image, Inserted: inserted } = body;
  if (image === null) return setMedia(simulated, undefined);
  if (typeof image !== 'string') return badValue('Image');
  return inserted === true ? setMedia(simulated, image) : undefined;
}

function setMedia({ machine, lies }: Simulated, image: string | undefined): undefined {
  if (lies.ignoresMedia !== true) machine.media = image;
}
