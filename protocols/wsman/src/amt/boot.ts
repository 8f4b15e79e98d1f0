/** What a machine with AMT boots from next (Intel AMT SDK, "Set or Disable Boot Configuration Settings for the Next Boot"). */
import type { Instance, Member, WsmanOperation } from '../envelope.ts';
import type { XmlElement } from '../xml/xml-element.ts';
import { amtClass, bootConfiguration } from './classes.ts';
import type { UefiBootParameters } from './uefi-boot-parameters.ts';

/** `https` is a part of One-Click Recovery (AMT 15 and newer). */
const amtBootSources = ['pxe', 'disk', 'cdrom', 'https'] as const;
export type AmtBootSource = (typeof amtBootSources)[number];

const SOURCES: Readonly<Record<AmtBootSource, string>> = {
  pxe: 'Intel(r) AMT: Force PXE Boot',
  disk: 'Intel(r) AMT: Force Hard-drive Boot',
  cdrom: 'Intel(r) AMT: Force CD/DVD Boot',
  https: 'Intel(r) AMT: Force OCR UEFI HTTPS Boot',
};

/** Returns the source with this `InstanceID`. Undefined: it is not known. */
export function bootSourceOf(instanceId: string): AmtBootSource | undefined {
  return amtBootSources.find((source) => SOURCES[source] === instanceId);
}

/** The settings that begin a boot without options: nothing redirected, nothing locked, no setup. */
const PLAIN: Readonly<Record<string, string>> = {
  BIOSPause: 'false',
  BIOSSetup: 'false',
  BootMediaIndex: '0',
  ConfigurationDataReset: 'false',
  ForcedProgressEvents: 'false',
  LockKeyboard: 'false',
  LockPowerButton: 'false',
  LockResetButton: 'false',
  LockSleepButton: 'false',
  ReflashBIOS: 'false',
  SecureErase: 'false',
  UseIDER: 'false',
  UseSOL: 'false',
  UseSafeMode: 'false',
  UserPasswordBypass: 'false',
};
/** The firmware refuses a `put` that has them. */
const READ_ONLY = new Set([
  'BIOSLastStatus',
  'BootguardStatus',
  'OptionsCleared',
  'RPEEnabled',
  'SecureBootControlEnabled',
  'UEFIHTTPSBootEnabled',
  'UEFILocalPBABootEnabled',
  'WinREBootEnabled',
]);

/** Of an earlier boot from a URL. They are sent only for a new one. */
const PARAMETERS = { count: 'UefiBootNumberOfParams', bytes: 'UefiBootParametersArray' } as const;

/** Of drives that a session redirects: `UseIDER` is in the list above, and this says which drive. */
export const IDER_DEVICE = { name: 'IDERBootDevice', cd: '1' } as const;

export interface NextBootSettings {
  readonly entersSetup: boolean;
  /** From the CD drive that a session redirects. */
  readonly usesRedirectedCd?: boolean;
  /** For the source `https`. */
  readonly parameters?: UefiBootParameters;
}

/**
 * Returns the members of AMT_BootSettingData for the next boot, from those that the firmware sent. They keep their order, which the
 * firmware requires, and members that this client does not know.
 */
export function bootSettings(
  sent: XmlElement,
  { entersSetup, usesRedirectedCd = false, parameters }: NextBootSettings,
): readonly Member[] {
  const changed: Readonly<Record<string, string>> = {
    ...PLAIN,
    BIOSSetup: String(entersSetup),
    ...(usesRedirectedCd ? { UseIDER: 'true', [IDER_DEVICE.name]: IDER_DEVICE.cd } : {}),
  };
  const left = new Set<string>([...READ_ONLY, PARAMETERS.count, PARAMETERS.bytes]);
  const members = sent.children
    .filter(({ name, children }) => !left.has(name) && children.length === 0)
    .map(({ name, text }) => ({ name, value: changed[name] ?? text }));
  return parameters === undefined ? members : withParameters(members, parameters);
}

/** In the order of the alphabet, like the others: before UseIDER. */
function withParameters(members: readonly Member[], { count, bytes }: UefiBootParameters): readonly Member[] {
  const found = members.findIndex(({ name }) => name.startsWith('Use'));
  const at = found === -1 ? members.length : found;
  return [
    ...members.slice(0, at),
    { name: PARAMETERS.count, value: String(count) },
    { name: PARAMETERS.bytes, value: bytes.toBase64() },
    ...members.slice(at),
  ];
}

/** The call of `CIM_BootConfigSetting`. Undefined: no source, so that the order of the firmware applies. */
export function bootOrderRequest(source: AmtBootSource | undefined): WsmanOperation {
  const method = 'ChangeBootOrder';
  if (source === undefined) return { kind: 'invoke', method, members: [] };
  const value: Instance = { resource: amtClass.bootSource, selectors: { InstanceID: SOURCES[source] } };
  return { kind: 'invoke', method, members: [{ name: 'Source', value }] };
}

/** The role of a configuration: for the next boot only, or for none. */
const ROLES = { 'next-boot': '1', disabled: '32768' } as const;

/** The call of `CIM_BootService`, which makes the boot order and the settings apply. */
export function bootRoleRequest(role: keyof typeof ROLES): WsmanOperation {
  const members = [
    { name: 'BootConfigSetting', value: bootConfiguration },
    { name: 'Role', value: ROLES[role] },
  ];
  return { kind: 'invoke', method: 'SetBootConfigRole', members };
}
