/**
 * A CD drive with a data disc that cannot be written (MMC-3, SPC-3). It answers each command that BIOS, UEFI firmware and operating
 * systems need to read a disc, and refuses all others.
 */
import {
  capacity,
  configuration,
  discInformation,
  inquiry,
  mediaEvents,
  modePages,
  toc,
} from './cd-facts.ts';
import { NO_SENSE, type Sense } from './ider-messages.ts';

export const BLOCK_BYTES = 2048;
/** Block addresses have 32 bits. */
export const BLOCKS_MAX = 2 ** 32 - 1;

export const sense = {
  noMedium: { key: 2, code: 0x3a, qualifier: 0 },
  unreadable: { key: 3, code: 0x11, qualifier: 0 },
  unknownCommand: { key: 5, code: 0x20, qualifier: 0 },
  outOfRange: { key: 5, code: 0x21, qualifier: 0 },
  invalidField: { key: 5, code: 0x24, qualifier: 0 },
  writeProtected: { key: 7, code: 0x27, qualifier: 0 },
} as const satisfies Readonly<Record<string, Sense>>;

export interface BlockRange {
  readonly first: number;
  readonly count: number;
}

export type CdAnswer =
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'read' } & BlockRange)
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly sense: Sense };

export interface CdState {
  /** The blocks of the disc. */
  readonly blocks: number;
  /** Why the last command failed. */
  readonly last: Sense;
}

type Command = (packet: DataView, state: CdState) => CdAnswer;

const DONE: CdAnswer = { kind: 'done' };
const done: Command = () => DONE;

/** By operation code. */
const commands: Readonly<Partial<Record<number, Command>>> = {
  0x00: done, // TEST UNIT READY
  0x03: (packet, { last }) => cut(senseData(last), packet.getUint8(4)),
  0x12: inquire,
  0x1a: (packet) => modeSense(packet, { allocated: packet.getUint8(4), isLong: false }),
  0x1b: done, // START STOP UNIT: whoever inserted the disc ejects it
  0x1e: done, // PREVENT ALLOW MEDIUM REMOVAL
  0x25: (_, { blocks }) => ({ kind: 'data', bytes: capacity(blocks, BLOCK_BYTES) }),
  0x28: (packet, state) => read({ first: packet.getUint32(2), count: packet.getUint16(7) }, state),
  0x43: readToc,
  0x46: getConfiguration,
  0x4a: getEvents,
  0x51: (packet) => cut(discInformation(), packet.getUint16(7)),
  0x5a: (packet) => modeSense(packet, { allocated: packet.getUint16(7), isLong: true }),
  0xa8: (packet, state) => read({ first: packet.getUint32(2), count: packet.getUint32(6) }, state),
};

/** `packet` has 12 bytes. */
export function cdAnswerTo(packet: Uint8Array, state: CdState): CdAnswer {
  const command = commands[packet[0] ?? 0];
  if (command === undefined) return refused(sense.unknownCommand);
  return command(new DataView(packet.buffer, packet.byteOffset, packet.byteLength), state);
}

function read({ first, count }: BlockRange, { blocks }: CdState): CdAnswer {
  if (first + count > blocks) return refused(sense.outOfRange);
  return count === 0 ? DONE : { kind: 'read', first, count };
}

/** Without the pages of vital product data, which no CD drive has to have. */
function inquire(packet: DataView): CdAnswer {
  return (packet.getUint8(1) & 1) === 0 ? cut(inquiry(), packet.getUint16(3)) : refused(sense.invalidField);
}

function modeSense(
  packet: DataView,
  { allocated, isLong }: { readonly allocated: number; readonly isLong: boolean },
): CdAnswer {
  const bytes = modePages(packet.getUint8(2) & 0x3f, isLong);
  return bytes === undefined ? refused(sense.invalidField) : cut(bytes, allocated);
}

function readToc(packet: DataView, { blocks }: CdState): CdAnswer {
  // Old hosts have the format in the last byte.
  const format = packet.getUint8(2) & 0x0f || packet.getUint8(9) >> 6;
  const bytes = toc(format, { blocks, isTime: (packet.getUint8(1) & 2) !== 0 });
  return bytes === undefined ? refused(sense.invalidField) : cut(bytes, packet.getUint16(7));
}

function getConfiguration(packet: DataView): CdAnswer {
  const isOne = (packet.getUint8(1) & 3) === 2;
  return cut(configuration(packet.getUint16(2), isOne), packet.getUint16(7));
}

/** Polled only: there is no other way to send events over ATAPI. */
function getEvents(packet: DataView): CdAnswer {
  if ((packet.getUint8(1) & 1) === 0) return refused(sense.invalidField);
  return cut(mediaEvents(packet.getUint8(4)), packet.getUint16(7));
}

/** In the fixed format. */
function senseData({ key, code, qualifier }: Sense): Uint8Array {
  return Uint8Array.of(0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, code, qualifier, 0, 0, 0, 0);
}

function cut(bytes: Uint8Array, allocated: number): CdAnswer {
  return allocated === 0 ? DONE : { kind: 'data', bytes: bytes.subarray(0, allocated) };
}

function refused(why: Sense): CdAnswer {
  return { kind: 'refused', sense: why };
}

/** The sense that REQUEST SENSE reports after this answer. */
export function senseAfter(answer: CdAnswer): Sense {
  return answer.kind === 'refused' ? answer.sense : NO_SENSE;
}
