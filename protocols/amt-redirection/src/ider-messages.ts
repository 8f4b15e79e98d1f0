/** The messages of a session of redirected drives (IDER). Numbers are little-endian. The formats are those of amtterm and MeshCentral. */
import { plain, uint16, uint32 } from './messages.ts';

export const iderType = {
  open: 0x40,
  opened: 0x41,
  end: 0x42,
  ended: 0x43,
  ping: 0x44,
  pong: 0x45,
  reset: 0x46,
  resetDone: 0x47,
  features: 0x48,
  featuresReport: 0x49,
  error: 0x4a,
  heartbeat: 0x4b,
  command: 0x50,
  commandEnd: 0x51,
  dataFromHost: 0x53,
  dataToHost: 0x54,
} as const;

/** A session of the device ends when it has heard nothing for this time. */
export const IDER_SILENCE_MAX_MS = 30_000;
/** How often the device sends a heartbeat. */
export const IDER_HEARTBEAT_MS = 20_000;
const PROTOCOL_VERSION = 1;
/** The buffer of a device, in bytes. More is refused, as by MeshCentral. */
export const BUFFER_BYTES_MAX = 8192;
const BUFFER_BYTES_MIN = 512;

export const OPENED_BYTES = 30;
export const COMMAND_BYTES = 28;
export const DATA_FROM_HOST_HEAD_BYTES = 14;
export const DATA_TO_HOST_HEAD_BYTES = 34;
export const COMMAND_END_BYTES = 31;
/** The commands of a CD drive (SCSI in ATAPI packets). */
export const PACKET_BYTES = 12;

/** The operation of `features`, and that of its report. */
export const feature = { set: 3 } as const;
const ENABLED = 0x01;
/** The drive appears at once, also in a running system, and not only after its next start. */
const AT_ONCE = 0x18;

/** Attributes of messages that carry data or end a command. */
const attribute = { isDma: 0x01, isLast: 0x02 } as const;
/** Registers of an ATA device (ATA/ATAPI-6, section 7): which of them a message sets. */
const sets = { interrupt: 0x01, error: 0x02, reason: 0x04, count: 0x30, device: 0x40, status: 0x80 } as const;
/** The interrupt reason register (ATA/ATAPI-6, section 7.9.6): data to the host, or the end of a command. */
const reason = { dataToHost: 0x02, ended: 0x03 } as const;
const status = { ready: 0x50, data: 0x58, failed: 0x51 } as const;

/** The second drive of the channel is the CD, and the first one the floppy. */
const CD = 0x10;
export const device = { floppy: 0xa0, cd: 0xb0 } as const;

/** Why a command failed (SPC-3, section 4.5.2): sense key, additional code and its qualifier. */
export interface Sense {
  readonly key: number;
  readonly code: number;
  readonly qualifier: number;
}
export const NO_SENSE: Sense = { key: 0, code: 0, qualifier: 0 };

export interface DriveCommand {
  readonly device: number;
  /** How the host wants its data. */
  readonly isDma: boolean;
  /** 12 bytes. */
  readonly packet: Uint8Array;
}

interface CommandData extends Pick<DriveCommand, 'device' | 'isDma'> {
  readonly bytes: Uint8Array;
  /** The command has ended with these bytes. */
  readonly isLast: boolean;
}

/** What each side sends. `sequence` counts the messages of a side from 0. */
export const iderMessage = {
  open: (sequence: number) => {
    const settings = [IDER_SILENCE_MAX_MS, 0, IDER_HEARTBEAT_MS].flatMap(uint16);
    return Uint8Array.of(
      iderType.open,
      0,
      0,
      0,
      ...uint32(sequence),
      ...settings,
      ...uint32(PROTOCOL_VERSION),
    );
  },
  opened: (result: number, sequence: number, bufferBytes = BUFFER_BYTES_MAX) => {
    const versions = [1, 0, 1, 0, 0, 0, 0, 0];
    const head = [iderType.opened, result, 0, 0, ...uint32(sequence)];
    const buffers = [...uint16(bufferBytes), ...uint16(bufferBytes)];
    return Uint8Array.of(...head, ...versions, ...buffers, ...Array<number>(10).fill(0));
  },
  end: (sequence: number) => plain(iderType.end, sequence),
  ended: (sequence: number) => plain(iderType.ended, sequence),
  ping: (sequence: number) => plain(iderType.ping, sequence),
  pong: (sequence: number) => plain(iderType.pong, sequence),
  /** `mask`: the drives that were reset. */
  reset: (sequence: number, mask = 3) => Uint8Array.of(...plain(iderType.reset, sequence), mask),
  resetDone: (sequence: number) => plain(iderType.resetDone, sequence),
  enable: (sequence: number) => features(iderType.features, sequence, ENABLED | AT_ONCE),
  enabled: (sequence: number, result: number) => features(iderType.featuresReport, sequence, result),
  heartbeat: (sequence: number) => plain(iderType.heartbeat, sequence),
  command: (sequence: number, { device: drive, isDma, packet }: DriveCommand) => {
    const registers = [0, isDma ? attribute.isDma : 0, 0, 0, 0, 0, drive, ATAPI_PACKET];
    return Uint8Array.of(...plain(iderType.command, sequence), ...registers, ...packet);
  },
  commandEnd: (sequence: number, drive: number, { key, code, qualifier }: Sense) => {
    const hasFailed = key !== 0;
    const mask = sets.interrupt | sets.reason | sets.status | (hasFailed ? sets.error : sets.device);
    const registers = [mask, hasFailed ? key << 4 : 0, reason.ended, 0, 0, 0, drive];
    const end = [...registers, hasFailed ? status.failed : status.ready, key, code, qualifier];
    const head = [iderType.commandEnd, 0, 0, attribute.isLast, ...uint32(sequence)];
    return Uint8Array.of(...head, ...Array<number>(12).fill(0), ...end);
  },
  dataToHost: (sequence: number, { device: drive, isDma, isLast, bytes }: CommandData) => {
    const attributes = (isLast ? attribute.isLast : 0) | (isDma ? attribute.isDma : 0);
    const head = [iderType.dataToHost, 0, 0, attributes, ...uint32(sequence)];
    const mask = sets.reason | sets.count | sets.status | (isDma ? 0 : sets.interrupt);
    const length = uint16(bytes.length);
    const count = isDma ? [0, 0] : length;
    const begin = [mask, 0, reason.dataToHost, 0, ...count, drive, status.data];
    const endMask = sets.interrupt | sets.reason | sets.status;
    const end = isLast ? [endMask, 0, reason.ended, 0, 0, 0, drive, status.ready] : Array<number>(8).fill(0);
    const message = new Uint8Array(DATA_TO_HOST_HEAD_BYTES + bytes.length);
    message.set([...head, 0, ...length, 0, ...begin, ...end]);
    message.set(bytes, DATA_TO_HOST_HEAD_BYTES);
    return message;
  },
} as const;

/** The ATA command PACKET (ATA/ATAPI-6, section 8.23). Others do not come here: AMT answers them itself. */
const ATAPI_PACKET = 0xa0;

function features(kind: number, sequence: number, value: number): Uint8Array {
  return Uint8Array.of(...plain(kind, sequence), feature.set, ...uint32(value));
}

export function sequenceIn(bytes: Uint8Array): number {
  return viewOf(bytes).getUint32(4, true);
}

/** Returns the bytes that the device takes in a message. Undefined: they are out of range. Reads `opened`. */
export function bufferBytesIn(bytes: Uint8Array): number | undefined {
  const count = viewOf(bytes).getUint16(16, true);
  return count < BUFFER_BYTES_MIN || count > BUFFER_BYTES_MAX ? undefined : count;
}

/** Whether the device has switched the drives on. Undefined: it reports another operation. Reads `featuresReport`. */
export function isEnabledIn(bytes: Uint8Array): boolean | undefined {
  return bytes[8] === feature.set ? viewOf(bytes).getUint32(9, true) !== 0 : undefined;
}

/** Undefined: it is not an ATAPI packet. Reads `command`. */
export function commandIn(bytes: Uint8Array): DriveCommand | undefined {
  if (bytes[15] !== ATAPI_PACKET) return undefined;
  return {
    device: ((bytes[14] ?? 0) & CD) === 0 ? device.floppy : device.cd,
    isDma: ((bytes[9] ?? 0) & attribute.isDma) !== 0,
    packet: bytes.slice(COMMAND_BYTES - PACKET_BYTES, COMMAND_BYTES),
  };
}

export interface CommandResult {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  readonly sense: Sense;
}

/** Reads `dataToHost` and `commandEnd`. */
export function resultIn(bytes: Uint8Array): CommandResult {
  const [key = 0, code = 0, qualifier = 0] = bytes.subarray(28, 31);
  return {
    bytes: bytes.slice(DATA_TO_HOST_HEAD_BYTES),
    isLast: ((bytes[3] ?? 0) & attribute.isLast) !== 0,
    sense: { key, code, qualifier },
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
