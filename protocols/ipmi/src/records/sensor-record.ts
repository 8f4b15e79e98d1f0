import { ByteReader, ByteWriter, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint16Le, uint16Le } from '../bytes.ts';
import { decodeInventoryText } from './inventory-text.ts';

/** A full sensor record (section 43.1): an analog sensor with the factors that turn its raw reading into a value. */
export interface SensorRecord {
  readonly recordId: number;
  readonly sensorNumber: number;
  /** Section 42.2. 1: temperature, 2: voltage, 4: fan. */
  readonly sensorType: number;
  /** Section 43.17. 1: degrees Celsius, 4: volts, 18: revolutions per minute. */
  readonly unit: number;
  readonly name: string;
  readonly factors: SensorFactors;
}

/** `(m * raw + b * 10^bExponent) * 10^resultExponent` (section 36.3). */
export interface SensorFactors {
  readonly format: 'unsigned' | 'ones-complement' | 'twos-complement';
  readonly m: number;
  readonly b: number;
  readonly bExponent: number;
  readonly resultExponent: number;
}

const FULL_SENSOR = 0x01;
const RECORD_VERSION = 0x51;
const HEADER_BYTES = 5;
const NAME_AT = 47;
const FORMATS = ['unsigned', 'ones-complement', 'twos-complement'] as const;
const ENGLISH = 25;

/** The id and length of a record, which come first. */
export function decodeSensorRecordHeader(
  bytes: Uint8Array,
): Decoded<{ readonly recordId: number; readonly type: number; readonly totalBytes: number }> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const recordId = readUint16Le(reader, 'record id');
    reader.skip(1, 'record version');
    const type = reader.uint8('record type');
    return { recordId, type, totalBytes: HEADER_BYTES + reader.uint8('record length') };
  });
}

/** Returns undefined for records of other kinds: sensors without a value, locators, and those of vendors. */
export function decodeSensorRecord(bytes: Uint8Array): Decoded<SensorRecord | undefined> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const recordId = readUint16Le(reader, 'record id');
    reader.skip(1, 'record version');
    if (reader.uint8('record type') !== FULL_SENSOR) return undefined;
    reader.skip(3, 'record length and sensor owner');
    const sensorNumber = reader.uint8('sensor number');
    reader.skip(4, 'entity and capabilities');
    const sensorType = reader.uint8('sensor type');
    reader.skip(7, 'event type and masks');
    const format = FORMATS[reader.uint8('units 1') >> 6];
    const unit = reader.uint8('base unit');
    reader.skip(2, 'modifier unit and linearization');
    const factors = readFactors(reader);
    reader.skip(NAME_AT - 30, 'limits');
    const typeAndLength = reader.uint8('name type and length');
    const nameBytes = reader.bytes(Math.min(typeAndLength & 0x1f, reader.remaining), 'name');
    const name = decodeInventoryText(nameBytes, { type: typeAndLength >> 6, language: ENGLISH });
    if (format === undefined) return undefined; // the sensor has no analog reading
    return { recordId, sensorNumber, sensorType, unit, name, factors: { format, ...factors } };
  });
}

/** Bytes 25 to 30 of the record. M and B have ten bits, of which two are in the byte that follows. */
function readFactors(reader: ByteReader): Omit<SensorFactors, 'format'> {
  const mLow = reader.uint8('M');
  const mHigh = reader.uint8('M and tolerance') >> 6;
  const bLow = reader.uint8('B');
  const bHigh = reader.uint8('B and accuracy') >> 6;
  reader.skip(1, 'accuracy');
  const exponents = reader.uint8('exponents');
  return {
    m: signed(mLow | (mHigh << 8), 10),
    b: signed(bLow | (bHigh << 8), 10),
    resultExponent: signed(exponents >> 4, 4),
    bExponent: signed(exponents & 0x0f, 4),
  };
}

/** Returns the value in the unit of the sensor. Only linear sensors are supported. */
export function sensorValue({ factors }: Pick<SensorRecord, 'factors'>, raw: number): number {
  const { m, b, bExponent, resultExponent } = factors;
  return (m * rawNumber(factors, raw) + b * 10 ** bExponent) * 10 ** resultExponent;
}

function rawNumber({ format }: SensorFactors, raw: number): number {
  if (format === 'twos-complement') return signed(raw, 8);
  return format === 'ones-complement' && raw > 0x7f ? raw - 0xff : raw;
}

/** Encodes the record of a sensor on the BMC that belongs to the mainboard, without thresholds. */
export function encodeSensorRecord({
  recordId,
  sensorNumber,
  sensorType,
  unit,
  name,
  factors,
}: SensorRecord): Uint8Array {
  const total = NAME_AT + 1 + name.length;
  const { m, b, bExponent, resultExponent, format } = factors;
  const writer = new ByteWriter(total);
  writer.bytes(Uint8Array.of(...uint16Le(recordId), RECORD_VERSION, FULL_SENSOR, total - HEADER_BYTES));
  writer.bytes(Uint8Array.of(0x20, 0, sensorNumber, 0x07, 1)); // owned by the BMC, entity: the first mainboard
  writer.bytes(Uint8Array.of(0x7f, 0x40, sensorType, 1)); // initialized, no thresholds, threshold events
  writer.zeros(6); // masks
  writer.bytes(Uint8Array.of(FORMATS.indexOf(format) << 6, unit, 0, 0)); // linear
  writer.bytes(Uint8Array.of(m, (m >> 2) & 0xc0, b, (b >> 2) & 0xc0, 0));
  writer.uint8(((resultExponent & 0x0f) << 4) | (bExponent & 0x0f));
  writer.zeros(NAME_AT - 30);
  writer.bytes(Uint8Array.of(0xc0 | name.length, ...Uint8Array.from(name, (one) => one.charCodeAt(0))));
  return writer.finish();
}

function signed(value: number, bits: number): number {
  return value >= 2 ** (bits - 1) ? value - 2 ** bits : value;
}
