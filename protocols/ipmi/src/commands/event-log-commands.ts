import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint16Le, readUint32Le, uint16Le, uint32Le } from '../bytes.ts';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const eventLogInfoCommand = 0x40;
export const reserveEventLogCommand = 0x42;
export const eventEntryCommand = 0x43;

/** The record id that follows the last record. Id 0 asks for the first one. */
export const LAST_RECORD = 0xffff;
export const EVENT_RECORD_BYTES = 16;
const VERSION = 0x51;
const WHOLE_RECORD = 0xff;

/** Get SEL Info (section 31.2). Times are in seconds since 1970, and 0xffffffff if they are unknown. */
export interface EventLogInfo {
  readonly entries: number;
  readonly freeBytes: number;
  readonly addedAtSeconds: number;
  readonly erasedAtSeconds: number;
}

export const eventLogInfoRequest: IpmiRequest = {
  netFn: netFn.storage,
  command: eventLogInfoCommand,
  bytes: new Uint8Array(),
};

export function decodeEventLogInfo(bytes: Uint8Array): Decoded<EventLogInfo> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    reader.skip(1, 'event log version');
    return {
      entries: readUint16Le(reader, 'number of entries'),
      freeBytes: readUint16Le(reader, 'free space'),
      addedAtSeconds: readUint32Le(reader, 'most recent addition'),
      erasedAtSeconds: readUint32Le(reader, 'most recent erase'),
    };
  });
}

/** The event log of a BMC that has no optional command, except for the reservation of the log. */
export function encodeEventLogInfo(info: EventLogInfo): Uint8Array {
  const times = [...uint32Le(info.addedAtSeconds), ...uint32Le(info.erasedAtSeconds)];
  return Uint8Array.of(VERSION, ...uint16Le(info.entries), ...uint16Le(info.freeBytes), ...times, 0x02);
}

/** Get SEL Entry (section 31.5), a whole record. No reservation is needed for that. */
export function eventEntryRequest(recordId: number): IpmiRequest {
  const bytes = Uint8Array.of(0, 0, ...uint16Le(recordId), 0, WHOLE_RECORD);
  return { netFn: netFn.storage, command: eventEntryCommand, bytes };
}

export interface EventEntry {
  /** `LAST_RECORD` after the last one. */
  readonly nextRecordId: number;
  readonly record: Uint8Array;
}

export function decodeEventEntry(bytes: Uint8Array): Decoded<EventEntry> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const nextRecordId = readUint16Le(reader, 'next record id');
    return { nextRecordId, record: reader.bytes(EVENT_RECORD_BYTES, 'event record') };
  });
}

export function encodeEventEntry({ nextRecordId, record }: EventEntry): Uint8Array {
  return Uint8Array.of(...uint16Le(nextRecordId), ...record);
}
