import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint16Le, uint16Le } from '../bytes.ts';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const inventoryAreaCommand = 0x10;
export const readInventoryCommand = 0x11;

/** Get FRU Inventory Area Info (section 34.1). */
export interface InventoryArea {
  readonly bytes: number;
  /** Offsets and counts are in words of two bytes. */
  readonly isInWords: boolean;
}

export function inventoryAreaRequest(deviceId: number): IpmiRequest {
  return { netFn: netFn.storage, command: inventoryAreaCommand, bytes: Uint8Array.of(deviceId) };
}

export function decodeInventoryArea(bytes: Uint8Array): Decoded<InventoryArea> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const size = readUint16Le(reader, 'inventory area size');
    return { bytes: size, isInWords: (reader.uint8('access') & 1) !== 0 };
  });
}

export function encodeInventoryArea({ bytes, isInWords }: InventoryArea): Uint8Array {
  return Uint8Array.of(...uint16Le(bytes), isInWords ? 1 : 0);
}

/** Offset and count in the units of the area. */
export interface InventoryRange {
  readonly deviceId: number;
  readonly offset: number;
  readonly count: number;
}

/** Read FRU Data (section 34.2). */
export function readInventoryRequest({ deviceId, offset, count }: InventoryRange): IpmiRequest {
  const bytes = Uint8Array.of(deviceId, ...uint16Le(offset), count);
  return { netFn: netFn.storage, command: readInventoryCommand, bytes };
}

export function decodeInventoryRange(bytes: Uint8Array): Decoded<InventoryRange> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const deviceId = reader.uint8('device id');
    return { deviceId, offset: readUint16Le(reader, 'offset'), count: reader.uint8('count') };
  });
}

/** Returns the bytes that were read, which may be fewer than the count that the BMC names. */
export function decodeInventoryBytes(bytes: Uint8Array): Decoded<Uint8Array> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    reader.skip(1, 'count');
    return reader.bytes(reader.remaining, 'inventory bytes');
  });
}
