/**
 * A chunk of one byte takes six in a packet, and costs Node's parser as much as a large one: an ArrayBuffer and a callback. A read of 64 KiB with
 * ten thousand of them would take 50 ms. So the parser gets a connection with chunks in slices, which wait in the backlog, and the reader
 * of a body gets the chunks of a turn as one.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { backlog } from './backlog.ts';
import { parserOf, type Parser } from './parser.ts';

/** The first slice of a connection: at most half a millisecond of the smallest chunks. */
const FIRST_SLICE_BYTES = 512;
/** A read of Node's. */
const SLICE_BYTES_MAX = 64 * 1024;
/** Slices that take less become larger, because the parser is slower in small ones. Those that take four times as long become smaller. */
const SLICE_MS = 0.1;

/** Of llhttp. A callback that returns it pauses the parser behind the header fields. */
export const HPE_PAUSED = 21;

export function isChunked({ rawHeaders }: IncomingMessage): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}

/** Joins what is pushed in one turn, until the message ends. */
export function joinChunks(incoming: IncomingMessage): void {
  const push = incoming.push.bind(incoming);
  let pieces: Buffer[] = [];
  const flush = (): boolean => {
    if (pieces.length === 0) return true;
    const whole = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    pieces = [];
    return push(whole);
  };
  incoming.push = (piece: Buffer | null) => {
    if (piece === null) {
      flush();
      return push(null);
    }
    if (pieces.push(piece) === 1) process.nextTick(flush);
    return true;
  };
}

/** The rest of a connection whose parser has paused behind the header fields of a request with chunks. */
export class SlicedReads {
  readonly #socket: Duplex & { readonly _paused?: boolean };
  readonly #parser: Parser;
  readonly #onData: (bytes: Buffer) => void;
  /** What has been read and is not parsed. Nothing more is read until then. */
  #rest: Buffer = Buffer.alloc(0);
  #sliceBytes = FIRST_SLICE_BYTES;
  #isScheduled = false;

  constructor(socket: Duplex, parser: Parser) {
    this.#socket = socket;
    this.#parser = parser;
    const [onData] = socket.listeners('data');
    if (onData === undefined) throw new Error('this version of Node reads requests in another way');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- It is the function of node:_http_server that passes bytes to the parser.
    this.#onData = onData as (bytes: Buffer) => void;
  }

  /** `bytesParsed` of the packet were parsed before the pause. */
  begin({ rawPacket, bytesParsed }: { readonly rawPacket: Buffer; readonly bytesParsed: number }): void {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    // With a new listener Node passes the bytes to it, and no longer straight to the parser.
    socket.on('data', this.#add);
    const resume = socket.resume.bind(socket);
    // Node calls it when the reader of a body, or of responses, has made room.
    socket.resume = () => {
      if (this.#rest.length === 0) return resume();
      this.#schedule();
      return socket;
    };
    this.#parser.resume();
    this.#add(rawPacket.subarray(bytesParsed));
  }

  readonly #add = (bytes: Buffer): void => {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#socket.pause();
    this.#schedule();
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    backlog.add(() => {
      this.#isScheduled = false;
      this.#parse();
    });
  }

  /** Parses one slice. */
  #parse(): void {
    if (this.#socket.destroyed || this.#mustWait()) return;
    const startedMs = performance.now();
    const slice = this.#rest.subarray(0, this.#sliceBytes);
    this.#rest = this.#rest.subarray(slice.length);
    if (slice.length > 0) this.#onData(slice);
    if (parserOf(this.#socket) !== this.#parser) return this.#leave();
    this.#adapt(performance.now() - startedMs);
    if (this.#rest.length > 0) this.#schedule();
    else this.#socket.resume();
  }

  #adapt(tookMs: number): void {
    if (tookMs < SLICE_MS) this.#sliceBytes = Math.min(2 * this.#sliceBytes, SLICE_BYTES_MAX);
    else if (tookMs > 4 * SLICE_MS) this.#sliceBytes = Math.max(this.#sliceBytes / 2, FIRST_SLICE_BYTES);
  }

  /** The connection has become a WebSocket, and Node uses its parser for others. A client that did not wait for the answer is dropped. */
  #leave(): void {
    this.#socket.off('data', this.#add);
    if (this.#rest.length > 0) this.#socket.destroy();
  }

  /** The client does not read its responses, or the reader of the body is slower than the client. */
  #mustWait(): boolean {
    const { incoming } = this.#parser;
    const isFull = incoming !== null && incoming.readableLength >= incoming.readableHighWaterMark;
    return isFull || this.#socket._paused === true;
  }
}
