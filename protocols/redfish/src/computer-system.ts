/** The schema ComputerSystem: power, and the override of the boot source. */
import { actionOf, allowedIn, type RedfishAction } from './action.ts';
import { linkIn, linksIn } from './links.ts';
import { memberOf, objectIn, textIn } from './members.ts';
import type { RedfishObject } from './redfish-json.ts';

export interface BootOverride {
  readonly target: string | undefined;
  /** `Disabled`, `Once` or `Continuous`. */
  readonly enabled: string | undefined;
  /** `UEFI` or `Legacy`. */
  readonly mode: string | undefined;
  readonly uefiTarget: string | undefined;
  readonly httpBootUri: string | undefined;
  /** The service has the member, even when it is null. */
  readonly hasHttpBootUri: boolean;
  readonly allowedTargets: readonly string[] | undefined;
  readonly allowedEnabled: readonly string[] | undefined;
  readonly allowedModes: readonly string[] | undefined;
}

export interface ComputerSystem {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly manufacturer: string | undefined;
  readonly uuid: string | undefined;
  readonly serialNumber: string | undefined;
  /** `On`, `Off`, `PoweringOn`, `PoweringOff` or `Paused`. */
  readonly powerState: string | undefined;
  readonly reset: RedfishAction | undefined;
  readonly boot: BootOverride | undefined;
  /** Where changes for the next start are written, if not here (DSP0266, section "Settings resource"). */
  readonly settings: string | undefined;
  readonly managedBy: readonly string[];
  readonly virtualMedia: string | undefined;
}

export function computerSystemOf(resource: RedfishObject): ComputerSystem {
  const boot = objectIn(resource, 'Boot');
  return {
    id: textIn(resource, 'Id'),
    name: textIn(resource, 'Name'),
    manufacturer: textIn(resource, 'Manufacturer'),
    uuid: textIn(resource, 'UUID'),
    serialNumber: textIn(resource, 'SerialNumber'),
    powerState: textIn(resource, 'PowerState'),
    reset: actionOf(resource, 'ComputerSystem.Reset'),
    boot: boot === undefined ? undefined : bootOverrideOf(boot),
    settings: linkIn(objectIn(resource, '@Redfish.Settings'), 'SettingsObject'),
    managedBy: linksIn(objectIn(resource, 'Links'), 'ManagedBy'),
    virtualMedia: linkIn(resource, 'VirtualMedia'),
  };
}

/** Returns the boot override of the settings of a system. Undefined: they have none, and it is changed in the system itself. */
export function bootOfSettings(resource: RedfishObject): BootOverride | undefined {
  const boot = objectIn(resource, 'Boot');
  return memberOf(boot, 'BootSourceOverrideTarget') === undefined ? undefined : bootOverrideOf(boot);
}

function bootOverrideOf(boot: RedfishObject | undefined): BootOverride {
  return {
    target: textIn(boot, 'BootSourceOverrideTarget'),
    enabled: textIn(boot, 'BootSourceOverrideEnabled'),
    mode: textIn(boot, 'BootSourceOverrideMode'),
    uefiTarget: textIn(boot, 'UefiTargetBootSourceOverride'),
    httpBootUri: textIn(boot, 'HttpBootUri'),
    hasHttpBootUri: memberOf(boot, 'HttpBootUri') !== undefined,
    allowedTargets: allowedIn(boot, 'BootSourceOverrideTarget'),
    allowedEnabled: allowedIn(boot, 'BootSourceOverrideEnabled'),
    allowedModes: allowedIn(boot, 'BootSourceOverrideMode'),
  };
}
