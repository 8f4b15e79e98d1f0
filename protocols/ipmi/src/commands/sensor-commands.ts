import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint16Le, uint16Le } from '../bytes.ts';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const sensorRepositoryCommand = 0x20;
export const reserveSensorsCommand = 0x22;
export const sensorRecordCommand = 0x23;
export const sensorReadingCommand = 0x2d;

const VERSION = 0x51;
const MAY_RESERVE = 0x02;

/** Get SDR Repository Info (section 33.9): the number of records. */
export const sensorRepositoryRequest: IpmiRequest = {
  netFn: netFn.storage,
  command: sensorRepositoryCommand,
  bytes: new Uint8Array(),
};

export function decodeSensorRepository(bytes: Uint8Array): Decoded<number> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    reader.skip(1, 'repository version');
    return readUint16Le(reader, 'number of records');
  });
}

export function encodeSensorRepository(records: number): Uint8Array {
  const times = new Uint8Array(8);
  return Uint8Array.of(VERSION, ...uint16Le(records), ...uint16Le(0), ...times, MAY_RESERVE);
}

/** Reserve SDR Repository (section 33.11), which partial reads need. */
export const reserveSensorsRequest: IpmiRequest = {
  netFn: netFn.storage,
  command: reserveSensorsCommand,
  bytes: new Uint8Array(),
};

export function decodeReservation(bytes: Uint8Array): Decoded<number> {
  return decoded(() => readUint16Le(new ByteReader(bytes), 'reservation id'));
}

/** Get SDR (section 33.12). */
export interface SensorRecordRange {
  readonly reservation: number;
  readonly recordId: number;
  readonly offset: number;
  readonly count: number;
}

export function sensorRecordRequest(range: SensorRecordRange): IpmiRequest {
  const ids = [...uint16Le(range.reservation), ...uint16Le(range.recordId)];
  const bytes = Uint8Array.of(...ids, range.offset, range.count);
  return { netFn: netFn.storage, command: sensorRecordCommand, bytes };
}

export function decodeSensorRecordRange(bytes: Uint8Array): Decoded<SensorRecordRange> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    return {
      reservation: readUint16Le(reader, 'reservation id'),
      recordId: readUint16Le(reader, 'record id'),
      offset: reader.uint8('offset'),
      count: reader.uint8('count'),
    };
  });
}

export interface SensorRecordPart {
  /** 0xffff after the last one. */
  readonly nextRecordId: number;
  readonly bytes: Uint8Array;
}

export function decodeSensorRecordPart(bytes: Uint8Array): Decoded<SensorRecordPart> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const nextRecordId = readUint16Le(reader, 'next record id');
    return { nextRecordId, bytes: reader.bytes(reader.remaining, 'record') };
  });
}

export function encodeSensorRecordPart({ nextRecordId, bytes }: SensorRecordPart): Uint8Array {
  return Uint8Array.of(...uint16Le(nextRecordId), ...bytes);
}

/** Get Sensor Reading (section 35.14). */
export function sensorReadingRequest(sensorNumber: number): IpmiRequest {
  return { netFn: netFn.sensor, command: sensorReadingCommand, bytes: Uint8Array.of(sensorNumber) };
}

const UNAVAILABLE = 0x20;
const SCANNING = 0x40;
const EVENTS = 0x80;

/** Returns the raw reading, or undefined while the sensor has none. */
export function decodeSensorReading(bytes: Uint8Array): Decoded<number | undefined> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const reading = reader.uint8('sensor reading');
    const flags = reader.uint8('sensor state');
    const isAvailable = (flags & UNAVAILABLE) === 0 && (flags & SCANNING) !== 0;
    return isAvailable ? reading : undefined;
  });
}

export function encodeSensorReading(reading: number): Uint8Array {
  return Uint8Array.of(reading, EVENTS | SCANNING, 0xc0);
}
