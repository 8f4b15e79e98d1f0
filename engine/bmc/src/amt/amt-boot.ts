/** The next boot of a machine with Intel AMT. */
import type { BootDevice, BootSetting } from '@tinkerbell/bmc';
import {
  amtClass,
  bootConfiguration,
  bootOrderRequest,
  bootRoleRequest,
  bootSettings,
  HTTPS_BOOT_URL_BYTES_MAX,
  httpsBootParameters,
  httpsBootSupport,
  isNextBoot,
  nextBootOf,
  type AmtBootSource,
  type AmtNextBoot,
  type XmlElement,
} from '@tinkerbell/wsman';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';
import type { AmtClient } from './amt-client.ts';

const SOURCES: Readonly<Partial<Record<BootDevice, AmtBootSource>>> = {
  pxe: 'pxe',
  disk: 'disk',
  cdrom: 'cdrom',
};
const WITHOUT_SOURCE: ReadonlySet<BootDevice> = new Set(['bios', 'none']);
/** Answers of firmware that lacks a class. */
const NOT_REPORTED: ReadonlySet<BmcErrorCode> = new Set(['unsupported', 'rejected']);
const SETTINGS = { resource: amtClass.bootSettings };

/**
 * `hasDisc`: the CD is that of a session, and not a drive in the machine. Rejects with `unsupported`, and changes nothing, for what AMT
 * does not have. The firmware chooses BIOS or UEFI mode itself.
 */
export async function writeAmtBoot(
  client: AmtClient,
  setting: BootSetting,
  { hasDisc }: { readonly hasDisc: boolean },
): Promise<void> {
  const { device, persistent, httpBootUri: url } = setting;
  if (persistent) throw new BmcError('unsupported', 'AMT sets the boot device for the next boot only');
  const usesRedirectedCd = device === 'cdrom' && hasDisc;
  const source = usesRedirectedCd ? undefined : sourceOf(setting);
  if (source === undefined && !usesRedirectedCd && !WITHOUT_SOURCE.has(device))
    throw new BmcError('unsupported', `AMT has no boot device ${device}`);
  const sent = await client.get(SETTINGS);
  if (url !== undefined) checkHttpsBoot(sent);
  const parameters = url === undefined ? {} : { parameters: httpsBootParameters(url) };
  const members = bootSettings(sent, { entersSetup: device === 'bios', usesRedirectedCd, ...parameters });
  // An older choice of the boot order would prevent the change of the settings.
  await order(client, undefined);
  await client.put(SETTINGS, members);
  if (source !== undefined) await order(client, source);
  const role = bootRoleRequest(device === 'none' ? 'disabled' : 'next-boot');
  if (role.kind === 'invoke') await client.invoke({ resource: amtClass.bootService }, role);
}

function sourceOf({ device, httpBootUri: url }: BootSetting): AmtBootSource | undefined {
  if (url === undefined) return SOURCES[device];
  if (!url.startsWith('https://'))
    throw new BmcError('unsupported', `AMT boots from https URLs only, not from ${url}; use PXE`);
  if (url.length > HTTPS_BOOT_URL_BYTES_MAX)
    throw new BmcError('unsupported', `AMT takes URLs of at most ${HTTPS_BOOT_URL_BYTES_MAX} characters`);
  return 'https';
}

function checkHttpsBoot(settings: XmlElement): void {
  switch (httpsBootSupport(settings)) {
    case 'enabled':
      return;
    case 'disabled':
      throw new BmcError('unsupported', 'HTTPS boot (One-Click Recovery) is disabled in the BIOS settings');
    case 'absent':
      throw new BmcError('unsupported', 'HTTPS boot needs AMT 15 or newer; use PXE');
  }
}

/**
 * Undefined: the firmware does not report it. `written` is the setting of this session: AMT reports neither the mode nor, depending on
 * its version, the URL.
 */
export async function readAmtBoot(
  client: AmtClient,
  written: BootSetting | undefined,
): Promise<BootSetting | undefined> {
  const next = await nextBoot(client);
  const usual = { persistent: false, efiBoot: written?.efiBoot ?? true };
  switch (next?.kind) {
    case undefined:
    case 'unknown':
      return undefined;
    case 'as-usual':
      return { ...usual, device: 'none' };
    case 'setup':
      return { ...usual, device: 'bios' };
    case 'redirected-cd':
      return { ...usual, device: 'cdrom' };
    case 'source':
      return { ...usual, ...deviceOf(next, written?.httpBootUri) };
  }
}

function deviceOf(
  { source, url }: Extract<AmtNextBoot, { kind: 'source' }>,
  writtenUrl: string | undefined,
): Pick<BootSetting, 'device' | 'httpBootUri'> {
  if (source !== 'https') return { device: source };
  const httpBootUri = url ?? writtenUrl;
  return { device: 'pxe', ...(httpBootUri === undefined ? {} : { httpBootUri }) };
}

async function nextBoot(client: AmtClient): Promise<AmtNextBoot | undefined> {
  try {
    if (!isNextBoot(await client.enumerate(amtClass.settingOfElement))) return { kind: 'as-usual' };
    const components = await client.enumerate(amtClass.orderedComponent);
    return nextBootOf(components, await client.get(SETTINGS));
  } catch (thrown) {
    if (thrown instanceof BmcError && NOT_REPORTED.has(thrown.code)) return undefined;
    throw thrown;
  }
}

async function order(client: AmtClient, source: AmtBootSource | undefined): Promise<void> {
  const request = bootOrderRequest(source);
  if (request.kind === 'invoke') await client.invoke(bootConfiguration, request);
}
