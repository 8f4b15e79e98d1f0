import {
  ConnectionError,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  WINDOW_MAX,
  errorCodes,
  frameTypes,
  uint16At,
  uint32At,
  type Frame,
} from './frame.ts';
import { joined, protocolError } from './frame-payload.ts';

const NO_BYTES = new Uint8Array(0);
/** Header fields count as so many frames, because they begin a request. */
const FRAMES_OF_FIELDS = 10;

/** Splits the bytes of a connection into frames. */
export class FrameReader {
  readonly #preface: string;
  readonly #framesAtOnce: number;
  #hasPreface: boolean;
  #rest: Uint8Array = NO_BYTES;

  /** The frames follow the characters of `preface`. */
  constructor(preface: string, framesAtOnce: number) {
    this.#preface = preface;
    this.#framesAtOnce = framesAtOnce;
    this.#hasPreface = preface === '';
  }

  /**
   * Calls `take` for each whole frame until it returns false. Returns true when whole frames may be left, which the next call takes. Throws a
   * ConnectionError.
   */
  read(received: Uint8Array, take: (frame: Frame) => boolean): boolean {
    const bytes = this.#withRest(received);
    let at = this.#hasPreface ? 0 : this.#prefaceIn(bytes);
    let left = this.#framesAtOnce;
    while (this.#hasPreface && bytes.length - at >= FRAME_HEADER_BYTES && left > 0) {
      const length = ((bytes[at] ?? 0) << 16) | uint16At(bytes, at + 1);
      if (length > FRAME_BYTES_MAX) throw new ConnectionError(errorCodes.frameSize, 'a frame is too large');
      const end = at + FRAME_HEADER_BYTES + length;
      if (end > bytes.length) break;
      const frame = frameIn(bytes, at, end);
      at = end;
      left -= costOf(frame);
      if (!take(frame)) return false;
    }
    const rest = at === bytes.length ? NO_BYTES : bytes.subarray(at);
    const isLeft = left <= 0 && rest.length > 0;
    // A copy, because a part of a read keeps all of it in memory. Frames that are left are taken soon.
    this.#rest = isLeft ? rest : Uint8Array.from(rest);
    return isLeft;
  }

  #withRest(received: Uint8Array): Uint8Array {
    if (this.#rest.length === 0) return received;
    return received.length === 0 ? this.#rest : joined([this.#rest, received]);
  }

  /** Returns how many bytes belong to a whole preface. */
  #prefaceIn(bytes: Uint8Array): number {
    const preface = this.#preface;
    for (let at = 0; at < Math.min(bytes.length, preface.length); at++)
      if (bytes[at] !== preface.charCodeAt(at)) throw protocolError('this is not HTTP/2');
    this.#hasPreface = bytes.length >= preface.length;
    return this.#hasPreface ? preface.length : 0;
  }
}

function frameIn(bytes: Uint8Array, at: number, end: number): Frame {
  return {
    type: bytes[at + 3] ?? 0,
    flags: bytes[at + 4] ?? 0,
    streamId: uint32At(bytes, at + 5) & WINDOW_MAX,
    payload: bytes.subarray(at + FRAME_HEADER_BYTES, end),
  };
}

function costOf({ type }: Frame): number {
  return type === frameTypes.headers ? FRAMES_OF_FIELDS : 1;
}
