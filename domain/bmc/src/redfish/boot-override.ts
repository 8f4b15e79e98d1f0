/** The override of the boot source (schema ComputerSystem, Boot) from and to a setting of a Task. */
import type { BootOverride } from '@tinkerbell/redfish';
import type { BootDevice, BootSetting } from '../machine-state.ts';
import type { RedfishVendor } from './vendors.ts';

export type OverrideChange =
  | { readonly ok: true; readonly boot: Readonly<Record<string, string>> }
  /** What the service lacks. */
  | { readonly ok: false; readonly message: string };

/** Schema ComputerSystem, BootSource. `safe` has no equivalent. */
const targets: Readonly<Record<BootDevice, readonly string[]>> = {
  pxe: ['Pxe'],
  disk: ['Hdd'],
  bios: ['BiosSetup'],
  cdrom: [],
  safe: [],
  none: ['None'],
};

/** Returns the members of `Boot` to write. They state target, duration and mode, so that nothing of an older override remains. */
export function overrideFor(setting: BootSetting, boot: BootOverride, vendor: RedfishVendor): OverrideChange {
  const target = targetFor(setting, boot, vendor);
  if (target === undefined) return { ok: false, message: missingTarget(setting, boot) };
  const { httpBootUri: uri } = setting;
  if (uri !== undefined && !boot.hasHttpBootUri)
    return { ok: false, message: 'the BMC has no HttpBootUri; use PXE, or configure the URL in the BIOS' };
  return {
    ok: true,
    boot: {
      BootSourceOverrideEnabled: durationOf(setting),
      BootSourceOverrideTarget: target,
      ...modeFor(setting, boot, vendor),
      ...(uri === undefined ? {} : { HttpBootUri: uri }),
    },
  };
}

function targetFor(
  { device, httpBootUri }: BootSetting,
  { allowedTargets: allowed }: BootOverride,
  { cdTargets }: RedfishVendor,
): string | undefined {
  const wanted = device === 'cdrom' ? cdTargets : targets[device];
  const names = httpBootUri === undefined ? wanted : ['UefiHttp'];
  if (allowed === undefined || allowed.length === 0 || device === 'none') return names[0];
  return names.find((name) => allowed.includes(name));
}

function missingTarget({ device, httpBootUri }: BootSetting, { allowedTargets = [] }: BootOverride): string {
  const wanted = httpBootUri === undefined ? device : 'UefiHttp';
  const allowed = allowedTargets.length === 0 ? '' : `; it allows ${allowedTargets.join(', ')}`;
  return `the BMC cannot boot from ${wanted}${allowed}`;
}

function durationOf({ device, persistent }: BootSetting): string {
  if (device === 'none') return 'Disabled';
  return persistent ? 'Continuous' : 'Once';
}

/** A service without the member has machines with one mode only. */
function modeFor(
  { device, efiBoot }: BootSetting,
  boot: BootOverride,
  { writesMode }: RedfishVendor,
): Readonly<Record<string, string>> {
  const mode = efiBoot ? 'UEFI' : 'Legacy';
  if (device === 'none' || boot.mode === undefined || writesMode === 'never') return {};
  if (writesMode === 'when-different' && boot.mode === mode) return {};
  return { BootSourceOverrideMode: mode };
}

/** Drives that firmware names by their bus count as what they hold. */
const devices: Readonly<Partial<Record<string, BootDevice>>> = {
  None: 'none',
  Pxe: 'pxe',
  UefiHttp: 'pxe',
  Hdd: 'disk',
  BiosSetup: 'bios',
  Cd: 'cdrom',
  UsbCd: 'cdrom',
};

export type ReadOverride =
  | { readonly kind: 'setting'; readonly setting: BootSetting }
  | { readonly kind: 'not-reported' }
  /** A boot source that settings cannot express. */
  | { readonly kind: 'other'; readonly target: string };

/** `efiBoot` is assumed when the service does not report the mode. */
export function settingFrom(boot: BootOverride | undefined, efiBoot: boolean): ReadOverride {
  const { target, enabled, mode, httpBootUri } = boot ?? {};
  if (target === undefined && enabled === undefined) return { kind: 'not-reported' };
  const isEfi = mode === undefined ? efiBoot : mode === 'UEFI';
  const isDisabled = enabled === 'Disabled' || target === undefined || target === 'None';
  if (isDisabled) return { kind: 'setting', setting: { device: 'none', persistent: false, efiBoot: isEfi } };
  const device = Object.hasOwn(devices, target) ? devices[target] : undefined;
  if (device === undefined) return { kind: 'other', target };
  const uri = target === 'UefiHttp' && httpBootUri !== undefined ? { httpBootUri } : {};
  const setting = { device, persistent: enabled === 'Continuous', efiBoot: isEfi, ...uri };
  return { kind: 'setting', setting };
}
