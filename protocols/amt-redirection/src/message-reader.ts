/** Finds the messages in the bytes of one side. */
import { DATA_HEAD_BYTES, LOGIN_HEAD_BYTES, startStatus, type } from './messages.ts';

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
  },
};

export class MessageReader {
  readonly #lengths: Readonly<Partial<Record<number, LengthOf>>>;
  #waiting: Uint8Array = new Uint8Array();
  #isBroken = false;

  constructor(side: Side) {
    this.#lengths = lengths[side];
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
      const lengthOf = this.#lengths[rest[0] ?? 0] ?? fixed(Infinity);
      const length = lengthOf(rest);
      this.#isBroken = length === Infinity;
      if (length === undefined || length > rest.length) break;
      found.push(rest.slice(0, length));
      at += length;
    }
    this.#waiting = all.slice(at);
    return found;
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
