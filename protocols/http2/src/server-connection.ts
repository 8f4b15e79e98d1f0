/**
 * A connection as the server sees it (RFC 9113): received bytes become requests, and answers become bytes. It uses no socket and no
 * timer. Priorities are ignored, and nothing is pushed.
 */
import {
  ConnectionError,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  WINDOW_DEFAULT,
  WINDOW_MAX,
  errorCodes,
  flags,
  frameTypes,
  settingIds,
  uint16At,
  uint32At,
  type ErrorCode,
  type Frame,
} from './frame.ts';
import { FrameOutput, type Allocate } from './frame-output.ts';
import { HpackDecoder, type DecodeText } from './hpack-decoder.ts';
import { areTrailers, isRequest, type Fields } from './request-fields.ts';
import { FrameBudget } from './frame-budget.ts';
import { ServerStream, type StreamOwner } from './server-stream.ts';
import type { TextPool } from './text-pool.ts';
import { dataIn, headersIn, joined, mustHave, protocolError } from './frame-payload.ts';
import { windowAfter } from './settings.ts';

/** A client announces HTTP/2 by these characters (section 3.4). */
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** The limit for the fields of a request. Tokens of single sign-on take a few kilobytes. */
const FIELDS_BYTES_MAX = 65_536;
/** A window for all streams of a connection, so that one stream that is read slowly does not stop the others. */
const CONNECTION_WINDOW = 1024 * 1024;
/** Thousands of agents behind a proxy share a connection, with two streams and a call each. */
const STREAMS_MAX = 65_536;
const OPAQUE_BYTES = 8;
/** The parts of one header block. An honest client sends full frames. */
const PARTS_MAX = 16;
/** Opening and resetting a stream costs the client nothing (CVE-2023-44487). The number is that of nghttp2. */
const RESETS_BURST = 1000;
/** An honest client sends one or two. Each concerns all streams. */
const SETTINGS_BURST = 20;
const NO_BYTES = new Uint8Array(0);

/** What the connection needs, and what it reports. */
export interface ConnectionEvents {
  request(stream: ServerStream, fields: Fields): void;
  /** There are bytes to send, which `takeOutput` returns. Called once until then. */
  output(): void;
  /** No request is accepted any longer, and none is answered. End the connection after its output, and call `lost`. */
  finished(): void;
}

/** What all connections of a server share. */
export interface ConnectionOptions {
  readonly pool: TextPool;
  readonly allocate: Allocate;
  readonly decodeText: DecodeText;
  /** Monotonic milliseconds. */
  nowMs(): number;
}

interface OpenBlock {
  readonly streamId: number;
  readonly isEnd: boolean;
  readonly parts: Uint8Array[];
  bytes: number;
}

export class ServerConnection implements StreamOwner {
  readonly output: FrameOutput;
  readonly #events: ConnectionEvents;
  readonly #options: ConnectionOptions;
  readonly #fields: HpackDecoder;
  readonly #streams = new Map<number, ServerStream>();
  #waiting: Set<ServerStream> | undefined;
  #rest: Uint8Array = NO_BYTES;
  #hasPreface = false;
  #hasSettings = false;
  #block: OpenBlock | undefined;
  #resets: FrameBudget | undefined;
  #settingsFrames: FrameBudget | undefined;
  #lastStreamId = 0;
  #sendWindow = WINDOW_DEFAULT;
  #streamWindow = WINDOW_DEFAULT;
  #receiveWindow = CONNECTION_WINDOW;
  #isBlocked = false;
  #isAwake = false;
  #isLeaving = false;
  #isOver = false;

  constructor(events: ConnectionEvents, options: ConnectionOptions) {
    this.#events = events;
    this.#options = options;
    this.#fields = new HpackDecoder(options.pool, FIELDS_BYTES_MAX, options.decodeText);
    this.output = new FrameOutput(options.allocate);
    this.output.settings([
      [settingIds.maxConcurrentStreams, STREAMS_MAX],
      [settingIds.maxHeaderListSize, FIELDS_BYTES_MAX],
    ]);
    this.#update(CONNECTION_WINDOW - WINDOW_DEFAULT);
    this.wake();
  }

  /** The number of requests that are not answered to their end. */
  get streams(): number {
    return this.#streams.size;
  }

  receive(bytes: Uint8Array): void {
    try {
      this.#receive(this.#rest.length === 0 ? bytes : joined([this.#rest, bytes]));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#fail(error);
    }
  }

  /** Returns the bytes to send, which may be none. They belong to the caller. */
  takeOutput(): Uint8Array {
    this.#isAwake = false;
    return this.output.take();
  }

  /** While the transport is blocked, streams keep their data. */
  block(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    if (!isBlocked) this.#flushWaiting();
  }

  /** Asks the client for a sign of life. */
  ping(): void {
    this.output.numbers({ type: frameTypes.ping, flags: flags.none, streamId: 0 }, 0, 0);
    this.wake();
  }

  /** Accepts no further request. The open ones continue. */
  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#goAway(errorCodes.none);
    if (this.#streams.size === 0) this.#events.finished();
  }

  /** The connection has ended, or will. Yields after each stream that ends with it, because there may be thousands. */
  *lost(): Generator<undefined, void> {
    this.#isOver = true;
    for (const stream of this.#streams.values()) {
      stream.abort();
      yield undefined;
    }
  }

  room(): number {
    return this.#isBlocked || this.#isOver ? 0 : this.#sendWindow;
  }

  sent(bytes: number): void {
    this.#sendWindow -= bytes;
  }

  wake(): void {
    if (this.#isAwake || this.#isOver) return;
    this.#isAwake = true;
    this.#events.output();
  }

  waits(stream: ServerStream): void {
    this.#waiting ??= new Set();
    this.#waiting.add(stream);
  }

  ended(stream: ServerStream): void {
    this.#streams.delete(stream.id);
    this.#waiting?.delete(stream);
    if (this.#isLeaving && this.#streams.size === 0 && !this.#isOver) this.#events.finished();
  }

  #receive(bytes: Uint8Array): void {
    let at = this.#hasPreface ? 0 : this.#preface(bytes);
    while (!this.#isOver && this.#hasPreface && bytes.length - at >= FRAME_HEADER_BYTES) {
      const length = ((bytes[at] ?? 0) << 16) | uint16At(bytes, at + 1);
      if (length > FRAME_BYTES_MAX) throw new ConnectionError(errorCodes.frameSize, 'a frame is too large');
      const end = at + FRAME_HEADER_BYTES + length;
      if (end > bytes.length) break;
      this.#frame({
        type: bytes[at + 3] ?? 0,
        flags: bytes[at + 4] ?? 0,
        streamId: uint32At(bytes, at + 5) & WINDOW_MAX,
        payload: bytes.subarray(at + FRAME_HEADER_BYTES, end),
      });
      at = end;
    }
    // A copy, because a part of a read keeps all of it in memory.
    this.#rest = at === bytes.length || this.#isOver ? NO_BYTES : Uint8Array.from(bytes.subarray(at));
  }

  /** Returns how many bytes belong to a whole preface. */
  #preface(bytes: Uint8Array): number {
    for (let at = 0; at < Math.min(bytes.length, PREFACE.length); at++)
      if (bytes[at] !== PREFACE.charCodeAt(at)) throw protocolError('this is not HTTP/2');
    this.#hasPreface = bytes.length >= PREFACE.length;
    return this.#hasPreface ? PREFACE.length : 0;
  }

  #frame(frame: Frame): void {
    const { type, streamId } = frame;
    if (!this.#hasSettings && type !== frameTypes.settings) throw protocolError('no settings');
    if (this.#block !== undefined && (type !== frameTypes.continuation || streamId !== this.#block.streamId))
      throw protocolError('header fields do not continue');
    if (type <= frameTypes.headers || type === frameTypes.rstStream || type === frameTypes.continuation)
      this.#frameOfStream(frame);
    else this.#frameOfConnection(frame);
  }

  #frameOfStream(frame: Frame): void {
    if (frame.streamId === 0) throw protocolError('a frame names no stream');
    switch (frame.type) {
      case frameTypes.data:
        return this.#data(frame);
      case frameTypes.headers: {
        const { streamId } = frame;
        const isEnd = (frame.flags & flags.endStream) !== 0;
        this.#block = { streamId, isEnd, parts: [], bytes: 0 };
        return this.#blockPart(headersIn(frame), frame.flags);
      }
      case frameTypes.continuation:
        return this.#blockPart(frame.payload, frame.flags);
      default:
        return this.#rstStream(frame);
    }
  }

  #frameOfConnection(frame: Frame): void {
    switch (frame.type) {
      case frameTypes.settings:
        return this.#settings(frame);
      case frameTypes.ping:
        return this.#ping(frame);
      case frameTypes.windowUpdate:
        return this.#windowUpdate(frame);
      case frameTypes.priority:
        if (frame.streamId === 0) throw protocolError('a priority of no stream');
        return mustHave(frame, 5);
      case frameTypes.goaway:
        if (frame.streamId !== 0) throw protocolError('a stream leaves');
        return;
      case frameTypes.pushPromise:
        throw protocolError('a client pushes');
      default:
      // Unknown frames are ignored (section 5.5).
    }
  }

  #data(frame: Frame): void {
    const size = frame.payload.length;
    const bytes = dataIn(frame);
    this.#receiveWindow -= size;
    if (this.#receiveWindow < 0) throw new ConnectionError(errorCodes.flowControl, 'too much data');
    if (this.#receiveWindow < CONNECTION_WINDOW / 2) {
      this.#update(CONNECTION_WINDOW - this.#receiveWindow);
      this.#receiveWindow = CONNECTION_WINDOW;
    }
    const stream = this.#streamOf(frame);
    stream?.receiveData(bytes, size);
    if ((frame.flags & flags.endStream) !== 0) stream?.receiveEnd();
  }

  #blockPart(part: Uint8Array, bits: number): void {
    const block = this.#block;
    if (block === undefined) throw protocolError('a continuation of nothing');
    block.parts.push(part);
    block.bytes += part.length;
    // Each part costs memory, even an empty one.
    if (block.bytes > FIELDS_BYTES_MAX || block.parts.length > PARTS_MAX)
      throw new ConnectionError(errorCodes.enhanceYourCalm, 'too many header fields');
    if ((bits & flags.endHeaders) === 0) return;
    this.#block = undefined;
    const [first = NO_BYTES] = block.parts;
    const fields = this.#fields.decode(block.parts.length === 1 ? first : joined(block.parts));
    this.#headers(block, fields);
  }

  #headers({ streamId, isEnd }: OpenBlock, fields: Fields | undefined): void {
    const known = this.#streams.get(streamId);
    if (known !== undefined) {
      return known.receiveTrailers(fields !== undefined && isEnd && areTrailers(fields));
    }
    if (streamId % 2 === 0) throw protocolError('a stream of the server');
    // Of a stream that was reset while they were on their way, or sent after the server has announced that it leaves.
    if (streamId <= this.#lastStreamId || this.#isLeaving) return;
    this.#lastStreamId = streamId;
    const stream = new ServerStream(streamId, this.#streamWindow, this);
    if (this.#streams.size >= STREAMS_MAX) return stream.reset(errorCodes.refusedStream);
    if (fields === undefined) return stream.reset(errorCodes.enhanceYourCalm);
    if (!isRequest(fields)) return stream.reset(errorCodes.protocol);
    this.#streams.set(streamId, stream);
    this.#events.request(stream, fields);
    if (isEnd) stream.receiveEnd();
  }

  #rstStream(frame: Frame): void {
    mustHave(frame, 4);
    const stream = this.#streamOf(frame);
    if (stream === undefined) return;
    this.#limit((this.#resets ??= new FrameBudget(RESETS_BURST, this.#options.nowMs())));
    stream.abort();
  }

  #settings(frame: Frame): void {
    const { payload, streamId } = frame;
    const isAck = (frame.flags & flags.ack) !== 0;
    if (streamId !== 0) throw protocolError('settings of a stream');
    if (payload.length % 6 !== 0 || (isAck && payload.length > 0))
      throw new ConnectionError(errorCodes.frameSize, 'settings of a wrong size');
    this.#hasSettings = true;
    if (isAck) return;
    this.#limit((this.#settingsFrames ??= new FrameBudget(SETTINGS_BURST, this.#options.nowMs())));
    this.#resizeStreams(windowAfter(this.#streamWindow, payload));
    this.output.frame({ type: frameTypes.settings, flags: flags.ack, streamId: 0 }, NO_BYTES);
    this.wake();
  }

  /** Once for each frame, because a client may have thousands of streams. */
  #resizeStreams(window: number): void {
    const more = window - this.#streamWindow;
    this.#streamWindow = window;
    if (more === 0) return;
    for (const stream of this.#streams.values())
      if (!stream.widen(more)) throw new ConnectionError(errorCodes.flowControl, 'a window is too large');
  }

  #limit(budget: FrameBudget): void {
    if (!budget.take(this.#options.nowMs()))
      throw new ConnectionError(errorCodes.enhanceYourCalm, 'too many frames of a kind');
  }

  #ping(frame: Frame): void {
    if (frame.streamId !== 0) throw protocolError('a ping of a stream');
    mustHave(frame, OPAQUE_BYTES);
    if ((frame.flags & flags.ack) !== 0) return;
    this.output.frame({ type: frameTypes.ping, flags: flags.ack, streamId: 0 }, frame.payload);
    this.wake();
  }

  #windowUpdate(frame: Frame): void {
    mustHave(frame, 4);
    const more = uint32At(frame.payload, 0) & WINDOW_MAX;
    if (frame.streamId !== 0) {
      const stream = this.#streamOf(frame);
      if (more === 0) stream?.abort(errorCodes.protocol);
      else if (stream?.widen(more) === false) stream.abort(errorCodes.flowControl);
      return;
    }
    if (more === 0) throw protocolError('a window of nothing');
    this.#sendWindow += more;
    if (this.#sendWindow > WINDOW_MAX)
      throw new ConnectionError(errorCodes.flowControl, 'a window is too large');
    this.#flushWaiting();
  }

  /** Returns undefined for a stream that has ended. Throws for one that never began. */
  #streamOf({ streamId }: Frame): ServerStream | undefined {
    if (streamId > this.#lastStreamId || streamId % 2 === 0) throw protocolError('a frame of an idle stream');
    return this.#streams.get(streamId);
  }

  /** Stops when there is no room, because a client may make room byte by byte for thousands of streams. */
  #flushWaiting(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    for (const stream of waiting) {
      if (this.room() <= 0) return;
      waiting.delete(stream);
      if (stream.isOpen && stream.flush()) stream.listener.drained();
    }
  }

  #update(bytes: number): void {
    this.output.numbers({ type: frameTypes.windowUpdate, flags: flags.none, streamId: 0 }, bytes);
    this.wake();
  }

  #goAway(code: ErrorCode): void {
    this.output.numbers(
      { type: frameTypes.goaway, flags: flags.none, streamId: 0 },
      this.#lastStreamId,
      code,
    );
    this.wake();
  }

  #fail({ code }: ConnectionError): void {
    this.#isLeaving = true;
    this.#goAway(code);
    this.#isOver = true;
    this.#events.finished();
  }
}
