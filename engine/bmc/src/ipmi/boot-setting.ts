import type { BootDevice, BootSetting } from '@tinkerbell/bmc';
import {
  bootParameter,
  decodeBootFlags,
  decodeBootParameter,
  encodeBootFlags,
  getBootParameterRequest,
  setBootParameterRequest,
  type IpmiBootDevice,
} from '@tinkerbell/ipmi';
import { BmcError } from '../bmc-error.ts';
import type { IpmiConnection } from './ipmi-connection.ts';
import { valueOf } from './invalid-answer.ts';

const devices: Readonly<Record<BootDevice, IpmiBootDevice>> = {
  pxe: 'pxe',
  disk: 'disk',
  bios: 'bios',
  cdrom: 'cdrom',
  safe: 'safe-disk',
  none: 'none',
};

/** Virtual drives count as the drives that they imitate. The contract does not have the other devices. */
const readDevices: Readonly<Partial<Record<IpmiBootDevice, BootDevice>>> = {
  none: 'none',
  pxe: 'pxe',
  disk: 'disk',
  'remote-disk': 'disk',
  cdrom: 'cdrom',
  'remote-cdrom': 'cdrom',
  bios: 'bios',
  'safe-disk': 'safe',
};

const IN_PROGRESS = Uint8Array.of(1);
const COMPLETE = Uint8Array.of(0);
/** The BIOS acknowledges the boot information. All acknowledgements of earlier settings are cleared. */
const BIOS_ACKNOWLEDGES = Uint8Array.of(1, 1);
/**
 * Without this, BMCs drop the setting when no power operation follows within 60 s (table 28-14, parameter 3, bit 3). OpenStack Ironic
 * sets it for the same reason.
 */
const KEEP_BEYOND_A_MINUTE = Uint8Array.of(0x08);

/** 0x80: the parameter is unknown. 0xc9 and 0xcc: its value is. 0x81: another client holds `set in progress`. */
const meanings = { 0x80: 'unsupported', 0x81: 'busy', 0xc9: 'unsupported', 0xcc: 'unsupported' } as const;
const operation = 'set the boot device';

/**
 * Sets the boot flags in the same order as ipmitool. Only the flags themselves must succeed: many BMCs lack the parameters around
 * them.
 */
export async function writeBootSetting(connection: IpmiConnection, setting: BootSetting): Promise<void> {
  if (setting.httpBootUri !== undefined) {
    throw new BmcError('unsupported', 'IPMI cannot set a URL for HTTP boot; use Redfish');
  }
  const set = (parameter: number, bytes: Uint8Array) =>
    ({ operation, request: setBootParameterRequest(parameter, bytes), meanings }) as const;
  await connection.ask(set(bootParameter.setInProgress, IN_PROGRESS));
  await connection.ask(set(bootParameter.bootInfoAcknowledge, BIOS_ACKNOWLEDGES));
  await connection.ask(set(bootParameter.validBitClearing, KEEP_BEYOND_A_MINUTE));
  const flags = encodeBootFlags({
    isValid: true,
    isPersistent: setting.persistent,
    isEfi: setting.efiBoot,
    device: devices[setting.device],
  });
  try {
    await connection.call(set(bootParameter.bootFlags, flags));
  } finally {
    await connection.ask(set(bootParameter.setInProgress, COMPLETE));
  }
}

/**
 * Reads the boot flags. Flags that are not valid and name no device are those of no override. A device that is not valid does not count as a report:
 * OpenIPMI's simulator (2.0.33) never sets the bit, and others clear it when the machine has booted.
 */
export async function readBootSetting(connection: IpmiConnection): Promise<BootSetting | undefined> {
  const request = getBootParameterRequest(bootParameter.bootFlags);
  const reading = 'read the boot device';
  const bytes = await connection.call({ operation: reading, request, meanings });
  const parameter = valueOf(decodeBootParameter(bytes), reading);
  const flags = decodeBootFlags(parameter.bytes);
  if (!flags.ok) return undefined;
  const { isValid, isPersistent, isEfi, device } = flags.value;
  if (!isValid && device !== 'none') return undefined;
  if (!isValid || parameter.isInvalid) return { device: 'none', persistent: false, efiBoot: false };
  const known = readDevices[device];
  return known === undefined ? undefined : { device: known, persistent: isPersistent, efiBoot: isEfi };
}
