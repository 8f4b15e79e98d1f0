import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint16Le, uint16Le } from '../bytes.ts';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const deviceIdCommand = 0x01;

/** Get Device ID (section 20.1). */
export interface DeviceId {
  readonly deviceId: number;
  readonly deviceRevision: number;
  readonly hasSensorRecords: boolean;
  /** As in `2.14`: the minor number is two decimal digits. */
  readonly firmwareVersion: string;
  readonly isUpdating: boolean;
  /** As in `2.0`. */
  readonly ipmiVersion: string;
  /** Table 20-2, `additional device support`. */
  readonly support: number;
  /** The enterprise number of the manufacturer. */
  readonly manufacturerId: number;
  readonly productId: number;
}

export const deviceIdRequest: IpmiRequest = {
  netFn: netFn.application,
  command: deviceIdCommand,
  bytes: new Uint8Array(),
};

export function decodeDeviceId(bytes: Uint8Array): Decoded<DeviceId> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const deviceId = reader.uint8('device id');
    const revision = reader.uint8('device revision');
    const major = reader.uint8('firmware revision 1');
    const minor = reader.uint8('firmware revision 2');
    const version = reader.uint8('IPMI version');
    const support = reader.uint8('additional device support');
    const low = readUint16Le(reader, 'manufacturer id');
    const manufacturerId = ((reader.uint8('manufacturer id') & 0x0f) << 16) | low;
    const productId = readUint16Le(reader, 'product id');
    return {
      deviceId,
      deviceRevision: revision & 0x0f,
      hasSensorRecords: (revision & 0x80) !== 0,
      firmwareVersion: `${major & 0x7f}.${minor.toString(16).padStart(2, '0')}`,
      isUpdating: (major & 0x80) !== 0,
      ipmiVersion: `${version & 0x0f}.${version >> 4}`,
      support,
      manufacturerId,
      productId,
    };
  });
}

export function encodeDeviceId(device: DeviceId): Uint8Array {
  const [major = '0', minor = '00'] = device.firmwareVersion.split('.');
  const [ipmiMajor = '2', ipmiMinor = '0'] = device.ipmiVersion.split('.');
  return Uint8Array.of(
    device.deviceId,
    device.deviceRevision | (device.hasSensorRecords ? 0x80 : 0),
    Number(major) | (device.isUpdating ? 0x80 : 0),
    Number.parseInt(minor, 16),
    Number(ipmiMajor) | (Number(ipmiMinor) << 4),
    device.support,
    ...uint16Le(device.manufacturerId & 0xffff),
    device.manufacturerId >> 16,
    ...uint16Le(device.productId),
  );
}
