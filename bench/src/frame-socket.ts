/**
 * One end of an HTTP/2 connection on a bare socket, for the programs around what is measured: node:http2 takes half as long as a server, and
 * its garbage makes all wait for up to 100 ms. It sends without waiting for windows, so messages must be small; a peer that minds ends the
 * connection, and every call on it fails.
 */
import type { Socket } from 'node:net';

import { frame, number, PREFACE, settings } from '@tinkerbell/http2/testing';

const HEADER_BYTES = 9;
export const [DATA, RST_STREAM] = [0, 3] as const;
const [HEADERS, SETTINGS, PING, GOAWAY, WINDOW_UPDATE] = [1, 4, 6, 7, 8] as const;
const [END_STREAM, END_HEADERS] = [1, 4] as const;
const [ACK, PADDED] = [1, 8] as const;
/** The largest that a peer accepts without a setting. */
const FRAME_BYTES_MAX = 16_384;
/** No dynamic table, no push, and the largest window for each stream. */
const OWN_SETTINGS = settings([
  [1, 0],
  [2, 0],
  [4, 0x7fff_ffff],
]);
/** The connection's window is renewed when half of this has been received. */
const WINDOW_BYTES = 0x1000_0000;
const WINDOW_DEFAULT = 65_535;
const NOTHING = Buffer.alloc(0);

export interface StreamFrame {
  readonly stream: number;
  /** DATA, HEADERS or RST_STREAM. A header block is always whole. */
  readonly type: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
}

export class FrameSocket {
  readonly #socket: Socket;
  readonly #onFrame: (frame: StreamFrame) => void;
  #rest: Buffer = NOTHING;
  #received = 0;
  #unsent: Buffer[] = [];
  /** What a client sends before its frames. */
  #prefaceLeft: number;

  constructor(socket: Socket, role: 'client' | 'server', onFrame: (frame: StreamFrame) => void) {
    this.#socket = socket;
    this.#prefaceLeft = role === 'server' ? PREFACE.length : 0;
    this.#onFrame = onFrame;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    // It is followed by the close.
    socket.on('error', () => undefined);
    if (role === 'client') this.#write(Buffer.from(PREFACE));
    this.#write(OWN_SETTINGS);
    this.#write(windowUpdate(WINDOW_BYTES - WINDOW_DEFAULT));
  }

  sendFields(stream: number, block: Uint8Array, isLast: boolean): void {
    this.#write(frame(HEADERS, END_HEADERS | (isLast ? END_STREAM : 0), stream, block));
  }

  sendData(stream: number, payload: Uint8Array, isLast: boolean): void {
    if (payload.length > FRAME_BYTES_MAX) throw new Error(`a message of ${payload.length} bytes`);
    this.#write(frame(DATA, isLast ? END_STREAM : 0, stream, payload));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Frames of one turn of the event loop are sent in one piece. */
  #write(bytes: Buffer): void {
    this.#unsent.push(bytes);
    if (this.#unsent.length > 1) return;
    process.nextTick(() => {
      const unsent = this.#unsent;
      this.#unsent = [];
      if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(unsent));
    });
  }

  #take(bytes: Buffer): void {
    this.#received += bytes.length;
    if (this.#received > WINDOW_BYTES / 2) {
      this.#write(windowUpdate(this.#received));
      this.#received = 0;
    }
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = Math.min(this.#prefaceLeft, all.length);
    this.#prefaceLeft -= at;
    while (all.length - at >= HEADER_BYTES) {
      const end = at + HEADER_BYTES + all.readUIntBE(at, 3);
      if (end > all.length) break;
      this.#frame(all, at, end);
      at = end;
    }
    this.#rest = at === all.length ? NOTHING : all.subarray(at);
  }

  #frame(bytes: Buffer, at: number, end: number): void {
    const type = bytes[at + 3] ?? 0;
    const flags = bytes[at + 4] ?? 0;
    const payload = bytes.subarray(at + HEADER_BYTES, end);
    if (type !== DATA && type !== HEADERS && type !== RST_STREAM)
      return this.#ofConnection(type, flags, payload);
    const isPlain = (flags & PADDED) === 0 && (type === DATA || (flags & END_HEADERS) !== 0);
    if (type !== RST_STREAM && !isPlain) return this.close();
    const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    this.#onFrame({ stream, type, isLast: type !== RST_STREAM && (flags & END_STREAM) !== 0, payload });
  }

  #ofConnection(type: number, flags: number, payload: Buffer): void {
    if (type === GOAWAY) this.close();
    else if ((flags & ACK) !== 0) return;
    else if (type === SETTINGS) this.#write(frame(SETTINGS, ACK, 0, NOTHING));
    else if (type === PING) this.#write(frame(PING, ACK, 0, payload));
  }
}

function windowUpdate(bytes: number): Buffer {
  return frame(WINDOW_UPDATE, 0, 0, number(bytes));
}
