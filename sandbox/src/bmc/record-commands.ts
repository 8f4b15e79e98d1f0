/** Inventory, event log and sensors of a simulated BMC. */
import {
  completion,
  decodeInventoryRange,
  decodeSensorRecordHeader,
  decodeSensorRecordRange,
  encodeEventEntry,
  encodeEventLogInfo,
  encodeInventoryArea,
  encodeSensorReading,
  encodeSensorRecordPart,
  encodeSensorRepository,
  eventEntryCommand,
  eventLogInfoCommand,
  inventoryAreaCommand,
  LAST_RECORD,
  netFn,
  readInventoryCommand,
  reserveEventLogCommand,
  reserveSensorsCommand,
  sensorReadingCommand,
  sensorRecordCommand,
  sensorRepositoryCommand,
  type IpmiRequest,
  type IpmiResponse,
} from '@tinkerbell/ipmi';
import { failure, keyOf, success, type AnswerCommand, type CommandContext } from './command-answers.ts';

const RESERVATION = Uint8Array.of(1, 0);
const reserve = (): IpmiResponse => success(RESERVATION);

export const recordCommands: readonly (readonly [key: string, answer: AnswerCommand])[] = [
  [keyOf(netFn.storage, inventoryAreaCommand), answerInventoryArea],
  [keyOf(netFn.storage, readInventoryCommand), answerReadInventory],
  [keyOf(netFn.storage, eventLogInfoCommand), answerEventLogInfo],
  [keyOf(netFn.storage, reserveEventLogCommand), reserve],
  [keyOf(netFn.storage, eventEntryCommand), answerEventEntry],
  [
    keyOf(netFn.storage, sensorRepositoryCommand),
    (_, { machine }) => success(encodeSensorRepository(machine.sensorRecords.length)),
  ],
  [keyOf(netFn.storage, reserveSensorsCommand), reserve],
  [keyOf(netFn.storage, sensorRecordCommand), answerSensorRecord],
  [keyOf(netFn.sensor, sensorReadingCommand), answerSensorReading],
];

function answerInventoryArea({ bytes }: IpmiRequest, { machine }: CommandContext): IpmiResponse {
  const inventory = machine.inventories.get(bytes[0] ?? 0);
  if (inventory === undefined) return failure(completion.notPresent);
  return success(encodeInventoryArea({ bytes: inventory.length, isInWords: false }));
}

function answerReadInventory({ bytes }: IpmiRequest, { machine }: CommandContext): IpmiResponse {
  const range = decodeInventoryRange(bytes);
  if (!range.ok) return failure(completion.lengthInvalid);
  const { deviceId, offset, count } = range.value;
  const inventory = machine.inventories.get(deviceId);
  if (inventory === undefined) return failure(completion.notPresent);
  if (offset >= inventory.length) return failure(completion.parameterOutOfRange);
  const piece = inventory.subarray(offset, offset + count);
  return success(Uint8Array.of(piece.length, ...piece));
}

function answerEventLogInfo(_: IpmiRequest, { machine }: CommandContext): IpmiResponse {
  const [entries, unknownTime] = [machine.events.length, 0xffff_ffff];
  const info = { entries, freeBytes: 0xffff, addedAtSeconds: unknownTime, erasedAtSeconds: unknownTime };
  return success(encodeEventLogInfo(info));
}

/** Records are numbered from 1. Id 0 is the first one, and 0xffff the last. */
function indexOfRecord(id: number, count: number): number {
  if (id === 0) return 0;
  return id === LAST_RECORD ? count - 1 : id - 1;
}

const nextOf = (index: number, count: number): number => (index + 1 < count ? index + 2 : LAST_RECORD);

function answerEventEntry({ bytes }: IpmiRequest, { machine }: CommandContext): IpmiResponse {
  const index = indexOfRecord((bytes[2] ?? 0) | ((bytes[3] ?? 0) << 8), machine.events.length);
  const record = machine.events[index];
  if (record === undefined) return failure(completion.notPresent);
  return success(encodeEventEntry({ nextRecordId: nextOf(index, machine.events.length), record }));
}

function answerSensorRecord({ bytes }: IpmiRequest, { machine }: CommandContext): IpmiResponse {
  const range = decodeSensorRecordRange(bytes);
  if (!range.ok) return failure(completion.lengthInvalid);
  const { recordId, offset, count } = range.value;
  const index = indexOfRecord(recordId, machine.sensorRecords.length);
  const record = machine.sensorRecords[index];
  if (record === undefined || !decodeSensorRecordHeader(record).ok) return failure(completion.notPresent);
  const nextRecordId = nextOf(index, machine.sensorRecords.length);
  return success(encodeSensorRecordPart({ nextRecordId, bytes: record.subarray(offset, offset + count) }));
}

function answerSensorReading({ bytes }: IpmiRequest, { machine }: CommandContext): IpmiResponse {
  const reading = machine.readings.get(bytes[0] ?? 0);
  return reading === undefined ? failure(completion.notPresent) : success(encodeSensorReading(reading));
}
