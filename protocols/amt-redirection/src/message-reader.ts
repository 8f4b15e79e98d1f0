/** Finds the messages in the bytes of one side. */
import {
  COMMAND_BYTES,
  COMMAND_END_BYTES,
  DATA_FROM_HOST_HEAD_BYTES,
  DATA_TO_HOST_HEAD_BYTES,
  feature,
  iderType,
  OPENED_BYTES,
} from './ider-messages.ts';
import { DATA_HEAD_BYTES, LOGIN_HEAD_BYTES, startStatus, type, type SessionKind } from './messages.ts';

/** `console`: whoever watches. `device`: AMT. */
export type Side = 'console' | 'device';

/** A login has a user, a realm, a nonce and the like, of at most 255 bytes each. */
const LOGIN_BYTES_MAX = 4096;

type LengthOf = (bytes: Uint8Array) => number | undefined;

const fixed =
  (length: number): LengthOf =>
  () =>
    length;

/** Undefined: more bytes are needed to know. */
const lengths: Readonly<Record<Side, Readonly<Partial<Record<number, LengthOf>>>>> = {
  console: {
    [type.startSession]: fixed(8),
    [type.endSession]: fixed(4),
    [type.authenticate]: loginLength,
    [type.startSol]: fixed(24),
    [type.endSol]: fixed(8),
    [type.ping]: fixed(8),
    [type.solSettings]: fixed(14),
    [type.dataToHost]: dataLength,
    [type.heartbeat]: fixed(8),
    [iderType.open]: fixed(18),
    [iderType.end]: fixed(8),
    [iderType.ping]: fixed(8),
    [iderType.pong]: fixed(8),
    [iderType.resetDone]: fixed(8),
    [iderType.features]: featuresLength,
    [iderType.heartbeat]: fixed(8),
    [iderType.commandEnd]: fixed(COMMAND_END_BYTES),
    [iderType.dataToHost]: driveDataLength(DATA_TO_HOST_HEAD_BYTES),
  },
  device: {
    [type.startedSession]: startedSessionLength,
    [type.authenticated]: loginLength,
    [type.startedSol]: startedSolLength,
    [type.endedSol]: fixed(8),
    [type.pong]: fixed(8),
    [type.controlsFromHost]: fixed(10),
    [type.dataFromHost]: dataLength,
    [type.heartbeat]: fixed(8),
    [iderType.opened]: openedLength,
    [iderType.ended]: fixed(8),
    [iderType.ping]: fixed(8),
    [iderType.pong]: fixed(8),
    [iderType.reset]: fixed(9),
    [iderType.featuresReport]: fixed(13),
    [iderType.error]: fixed(11),
    [iderType.heartbeat]: fixed(8),
    [iderType.command]: fixed(COMMAND_BYTES),
    [iderType.dataFromHost]: driveDataLength(DATA_FROM_HOST_HEAD_BYTES),
  },
};

export class MessageReader {
  readonly #lengths: Readonly<Partial<Record<number, LengthOf>>>;
  readonly #kind: SessionKind | undefined;
  #waiting: Uint8Array = new Uint8Array();
  #isBroken = false;

  /** `kind`: that of the session, whose messages alone are accepted. Undefined: of both kinds. */
  constructor(side: Side, kind?: SessionKind) {
    this.#lengths = lengths[side];
    this.#kind = kind;
  }

  /** True after bytes that are no message of this side. The stream cannot be read on. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Returns the whole messages. */
  take(bytes: Uint8Array): readonly Uint8Array[] {
    if (this.#isBroken) return [];
    const all = new Uint8Array(this.#waiting.length + bytes.length);
    all.set(this.#waiting);
    all.set(bytes, this.#waiting.length);
    const found: Uint8Array[] = [];
    let at = 0;
    while (at < all.length) {
      const rest = all.subarray(at);
      const lengthOf = this.#lengthOf(rest[0] ?? 0);
      const length = lengthOf(rest);
      this.#isBroken = length === Infinity;
      if (length === undefined || length > rest.length) break;
      found.push(rest.slice(0, length));
      at += length;
    }
    this.#waiting = all.slice(at);
    return found;
  }

  #lengthOf(number: number): LengthOf {
    const isOther = number >= iderType.open ? this.#kind === 'sol' : this.#kind === 'ider';
    const isAccepted = number < type.startSol || !isOther;
    return (isAccepted ? this.#lengths[number] : undefined) ?? fixed(Infinity);
  }
}

function startedSessionLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < 2) return undefined;
  if (bytes[1] !== startStatus.success) return 4;
  return bytes.length < 13 ? undefined : 13 + (bytes[12] ?? 0);
}

/** A refusal may be shorter, and nothing follows it. */
function startedSolLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < 2) return undefined;
  return bytes[1] === 0 ? 23 : 4;
}

function loginLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < LOGIN_HEAD_BYTES) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(5, true);
  return length > LOGIN_BYTES_MAX ? Infinity : LOGIN_HEAD_BYTES + length;
}

function dataLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < DATA_HEAD_BYTES) return undefined;
  return DATA_HEAD_BYTES + (bytes[8] ?? 0) + (bytes[9] ?? 0) * 0x100;
}

/** A refusal may be shorter, and nothing follows it. */
function openedLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < 2) return undefined;
  if (bytes[1] !== 0) return 4;
  return bytes.length < OPENED_BYTES ? undefined : OPENED_BYTES + (bytes[29] ?? 0);
}

/** Only a change has a value. */
function featuresLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < 9) return undefined;
  return bytes[8] === feature.set ? 13 : 9;
}

function driveDataLength(headBytes: number): LengthOf {
  return (bytes) => {
    if (bytes.length < headBytes) return undefined;
    return headBytes + (bytes[9] ?? 0) + (bytes[10] ?? 0) * 0x100;
  };
}
