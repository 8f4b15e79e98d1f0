import { ByteReader, ByteWriter, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint16Le, readUint32Le, uint16Le, uint32Le } from '../bytes.ts';

/** A record of the event log (table 32-1). */
export type EventRecord = SystemEvent | OtherEvent;

export interface SystemEvent {
  readonly kind: 'system';
  readonly recordId: number;
  /** Seconds since 1970 on the clock of the BMC. Below 0x20000000 they count from its start. */
  readonly atSeconds: number;
  readonly generator: number;
  readonly sensorType: number;
  readonly sensorNumber: number;
  /** Seven bits: what the first byte of the event's bytes means. */
  readonly eventType: number;
  readonly isDeassertion: boolean;
  readonly bytes: Uint8Array;
}

/** A record of a vendor. */
export interface OtherEvent {
  readonly kind: 'other';
  readonly recordId: number;
  readonly type: number;
  readonly bytes: Uint8Array;
}

const SYSTEM_EVENT = 0x02;
const MESSAGE_FORMAT = 0x04;
const DEASSERTION = 0x80;
const RECORD_BYTES = 16;

export function decodeEventRecord(bytes: Uint8Array): Decoded<EventRecord> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const recordId = readUint16Le(reader, 'record id');
    const type = reader.uint8('record type');
    if (type !== SYSTEM_EVENT) {
      return { kind: 'other', recordId, type, bytes: reader.bytes(RECORD_BYTES - 3, 'event') };
    }
    const atSeconds = readUint32Le(reader, 'timestamp');
    const generator = readUint16Le(reader, 'generator id');
    reader.skip(1, 'event message format');
    const sensorType = reader.uint8('sensor type');
    const sensorNumber = reader.uint8('sensor number');
    const typeAndDirection = reader.uint8('event type');
    return {
      kind: 'system',
      recordId,
      atSeconds,
      generator,
      sensorType,
      sensorNumber,
      eventType: typeAndDirection & 0x7f,
      isDeassertion: (typeAndDirection & DEASSERTION) !== 0,
      bytes: reader.bytes(3, 'event'),
    };
  });
}

export function encodeSystemEvent(event: SystemEvent): Uint8Array {
  const writer = new ByteWriter(RECORD_BYTES);
  writer.bytes(Uint8Array.of(...uint16Le(event.recordId), SYSTEM_EVENT));
  writer.bytes(Uint8Array.of(...uint32Le(event.atSeconds), ...uint16Le(event.generator)));
  writer.bytes(Uint8Array.of(MESSAGE_FORMAT, event.sensorType, event.sensorNumber));
  writer.uint8(event.eventType | (event.isDeassertion ? DEASSERTION : 0));
  writer.padded(event.bytes, 3);
  return writer.finish();
}
