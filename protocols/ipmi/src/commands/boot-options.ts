import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const setBootOptionsCommand = 0x08;
export const getBootOptionsCommand = 0x09;

/** Parameters of the system boot options (table 28-14). */
export const bootParameter = {
  setInProgress: 0,
  validBitClearing: 3,
  bootInfoAcknowledge: 4,
  bootFlags: 5,
} as const;

/** Devices of the boot flags, by their number (table 28-14, parameter 5, data 2). Undefined numbers are reserved. */
const DEVICES = [
  'none',
  'pxe',
  'disk',
  'safe-disk',
  'diagnostics',
  'cdrom',
  'bios',
  'remote-floppy',
  'remote-cdrom',
  'remote-media',
  undefined,
  'remote-disk',
  undefined,
  undefined,
  undefined,
  'floppy',
] as const;

export type IpmiBootDevice = NonNullable<(typeof DEVICES)[number]>;

export interface BootFlags {
  /** The BIOS ignores the other fields unless this is set. The BMC clears it when the flags were used. */
  readonly isValid: boolean;
  readonly isPersistent: boolean;
  readonly isEfi: boolean;
  readonly device: IpmiBootDevice;
}

const VALID = 0x80;
const PERSISTENT = 0x40;
const EFI = 0x20;
const PARAMETER_VERSION = 1;
const MARKED_INVALID = 0x80;

export function setBootParameterRequest(parameter: number, bytes: Uint8Array): IpmiRequest {
  return {
    netFn: netFn.chassis,
    command: setBootOptionsCommand,
    bytes: Uint8Array.of(parameter, ...bytes),
  };
}

export function getBootParameterRequest(parameter: number): IpmiRequest {
  return {
    netFn: netFn.chassis,
    command: getBootOptionsCommand,
    bytes: Uint8Array.of(parameter, 0, 0), // no set, no block
  };
}

/** Encodes the five bytes of parameter 5. Other flags, such as console redirection, are 0: the BIOS setting applies. */
export function encodeBootFlags({ isValid, isPersistent, isEfi, device }: BootFlags): Uint8Array {
  const first = (isValid ? VALID : 0) | (isPersistent ? PERSISTENT : 0) | (isEfi ? EFI : 0);
  return Uint8Array.of(first, DEVICES.indexOf(device) << 2, 0, 0, 0);
}

/** Reads the bytes of parameter 5. Some BMCs return fewer than five, of which only the first two matter here. */
export function decodeBootFlags(bytes: Uint8Array): Decoded<BootFlags> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const first = reader.uint8('boot flags');
    const selector = (reader.uint8('boot device') >> 2) & 0x0f;
    const device = DEVICES[selector];
    if (device === undefined) return reader.fail('unknown-device', 'boot device', `${selector}`);
    return {
      isValid: (first & VALID) !== 0,
      isPersistent: (first & PERSISTENT) !== 0,
      isEfi: (first & EFI) !== 0,
      device,
    };
  });
}

/** Section 28.13: the value of one parameter. */
export interface BootParameter {
  readonly parameter: number;
  /** The parameter is marked as invalid or locked. */
  readonly isInvalid: boolean;
  readonly bytes: Uint8Array;
}

export function decodeBootParameter(bytes: Uint8Array): Decoded<BootParameter> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    reader.skip(1, 'parameter version');
    const selector = reader.uint8('parameter');
    return {
      parameter: selector & 0x7f,
      isInvalid: (selector & MARKED_INVALID) !== 0,
      bytes: reader.bytes(reader.remaining, 'parameter value'),
    };
  });
}

export function encodeBootParameter({ parameter, isInvalid, bytes }: BootParameter): Uint8Array {
  return Uint8Array.of(PARAMETER_VERSION, parameter | (isInvalid ? MARKED_INVALID : 0), ...bytes);
}
