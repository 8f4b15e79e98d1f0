/**
 * A connection as both sides see it (RFC 9113): received bytes become frames of streams, and what streams send becomes bytes. It uses no
 * socket and no timer. Priorities are ignored, and nothing is pushed.
 */
import {
  ConnectionError,
  WINDOW_DEFAULT,
  WINDOW_MAX,
  errorCodes,
  flags,
  frameTypes,
  settingIds,
  uint32At,
  type ErrorCode,
  type Frame,
} from './frame.ts';
import { FrameBudget } from './frame-budget.ts';
import { FrameOutput, type Allocate } from './frame-output.ts';
import { dataIn, mustHave, protocolError } from './frame-payload.ts';
import { FrameReader } from './frame-reader.ts';
import { HeaderBlocks, type HeaderBlock, type HeaderLimits } from './header-blocks.ts';
import { HpackDecoder, type DecodeText } from './hpack-decoder.ts';
import { RepeatedValidity } from './repeated-validity.ts';
import { INITIAL_SETTINGS, settingsAfter, type PeerSettings } from './settings.ts';
import { abortEach, type Stream, type StreamOwner } from './stream.ts';
import type { TextPool } from './text-pool.ts';

/** A window for all streams of a connection, so that one stream that is read slowly does not stop the others. */
const CONNECTION_WINDOW = 1024 * 1024;
/** The output that streams may fill at once. What a peer with large windows has not read waits in the streams, not in the transport. */
const OUTPUT_BYTES_MAX = 256 * 1024;
const OPAQUE_BYTES = 8;
/** An honest peer sends one or two. Each concerns all streams. */
const SETTINGS_BURST = 20;
const NO_BYTES = new Uint8Array(0);

/** What the connection reports. */
export interface ConnectionEvents {
  /** There are bytes to send, which `takeOutput` returns. Called once until then. */
  output(): void;
  /** Frames are left. Call `receive` again in a later turn of the event loop, with no bytes, before any others. */
  paused(): void;
  /** No stream is open, and none will be. End the connection after its output, and call `lost`. `code` is that of the peer's fault. */
  finished(code: ErrorCode): void;
}

export interface ConnectionLimits extends HeaderLimits {
  /** The streams that the peer may open at once, or that this side opens. */
  readonly streamsMax: number;
  /** The bytes that the peer may send on a stream before they are consumed. */
  readonly streamWindow: number;
  /** The bytes of all streams that are not consumed, up to a mebibyte more. */
  readonly unreadBytesMax: number;
  /** The streams that the peer may reset, or cause to be reset, at once. 33 more each second. */
  readonly resetsBurst: number;
  /** The frames of one read that are taken at once. A packet of 64 KiB may have seven thousand, or two thousand requests. */
  readonly framesAtOnce: number;
}

/** Of both sides. Each adds the number of its streams. */
export const USUAL_LIMITS = {
  /** Tokens of single sign-on take a few kilobytes. */
  fieldBytesMax: 65_536,
  fieldsMax: 1024,
  streamWindow: WINDOW_DEFAULT,
  unreadBytesMax: 32 * 1024 * 1024,
  /** Opening and resetting a stream costs a client nothing (CVE-2023-44487). The number is that of nghttp2. */
  resetsBurst: 1000,
  framesAtOnce: 500,
} as const;

/** What all connections of a program share. */
export interface ConnectionOptions {
  readonly pool: TextPool;
  readonly allocate: Allocate;
  readonly decodeText: DecodeText;
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Limits that differ from the usual ones. */
  readonly limits?: Partial<ConnectionLimits>;
}

export abstract class Connection<Opened extends Stream> implements StreamOwner {
  readonly output: FrameOutput;
  readonly validity = new RepeatedValidity();
  readonly limits: ConnectionLimits;
  protected readonly opened = new Map<number, Opened>();
  protected peerSettings: PeerSettings = INITIAL_SETTINGS;
  /** The peer's settings have arrived. */
  protected hasSettings = false;
  protected isLeaving = false;
  readonly #events: ConnectionEvents;
  readonly #options: ConnectionOptions;
  readonly #reader: FrameReader;
  readonly #blocks: HeaderBlocks;
  readonly #take = (frame: Frame): boolean => this.#frame(frame);
  #waiting: Set<Stream> | undefined;
  #resets: FrameBudget | undefined;
  #settingsFrames: FrameBudget | undefined;
  #sendWindow = WINDOW_DEFAULT;
  #receiveWindow = CONNECTION_WINDOW;
  #unreadBytes = 0;
  #isBlocked = false;
  #isAwake = false;
  #isOver = false;

  constructor(
    events: ConnectionEvents,
    options: ConnectionOptions,
    { preface, limits }: { readonly preface: string; readonly limits: ConnectionLimits },
  ) {
    this.#events = events;
    this.#options = options;
    this.limits = options.limits === undefined ? limits : { ...limits, ...options.limits };
    const { fieldBytesMax } = this.limits;
    this.#reader = new FrameReader(preface, this.limits.framesAtOnce);
    this.#blocks = new HeaderBlocks(
      new HpackDecoder(options.pool, fieldBytesMax, options.decodeText),
      this.limits,
    );
    this.output = new FrameOutput(options.allocate);
  }

  /** The number of streams that have not ended. */
  get streams(): number {
    return this.opened.size;
  }

  get streamWindow(): number {
    return this.limits.streamWindow;
  }

  receive(bytes: Uint8Array): void {
    if (this.#isOver) return;
    try {
      if (this.#reader.read(bytes, this.#take)) this.#events.paused();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#fail(error);
    }
  }

  /** Returns the bytes to send, which may be none. They belong to the caller. */
  takeOutput(): Uint8Array {
    this.#isAwake = false;
    const bytes = this.output.take();
    if (bytes.length >= OUTPUT_BYTES_MAX) this.#flushWaiting();
    return bytes;
  }

  /** While the transport is blocked, streams keep their data. */
  block(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    if (!isBlocked) this.#flushWaiting();
  }

  /** Asks the peer for a sign of life. */
  ping(): void {
    this.output.numbers({ type: frameTypes.ping, flags: flags.none, streamId: 0 }, 0, 0);
    this.wake();
  }

  /** Accepts and opens no further stream. The open ones continue. */
  leave(): void {
    if (this.isLeaving) return;
    this.isLeaving = true;
    this.#goAway(errorCodes.none);
    this.finishIfIdle();
  }

  /** The connection has ended, or will, and takes nothing more. What is returned ends its streams, with a pause after each of them. */
  lost(): Generator<undefined, void> {
    this.isLeaving = true;
    this.#isOver = true;
    return abortEach(this.opened.values());
  }

  room(): number {
    if (this.#isBlocked || this.#isOver) return 0;
    return Math.min(this.#sendWindow, OUTPUT_BYTES_MAX - this.output.length);
  }

  sent(bytes: number): void {
    this.#sendWindow -= bytes;
  }

  wake(): void {
    if (this.#isAwake || this.#isOver) return;
    this.#isAwake = true;
    this.#events.output();
  }

  waits(stream: Stream): void {
    this.#waiting ??= new Set();
    this.#waiting.add(stream);
  }

  held(bytes: number): void {
    this.#unreadBytes += bytes;
  }

  released(bytes: number): void {
    this.#unreadBytes -= bytes;
    this.#widen();
  }

  ended(stream: Stream): void {
    this.opened.delete(stream.id);
    this.#waiting?.delete(stream);
    this.finishIfIdle();
  }

  /** Throws a ConnectionError when the peer has caused too many resets, by its own or by its faults (CVE-2025-8671). */
  faulted(): void {
    this.#limit((this.#resets ??= new FrameBudget(this.limits.resetsBurst, this.#options.nowMs())));
  }

  /** The last stream of the peer that this side handles. */
  protected abstract get acceptedStreamId(): number;

  /** A block of header fields has arrived. Throws a ConnectionError. */
  protected abstract receiveBlock(block: HeaderBlock): void;

  /** Returns undefined for a stream that has ended. Throws for one that never began. */
  protected abstract streamOf(streamId: number): Opened | undefined;

  /** GOAWAY, with the last stream that the peer handles. */
  protected abstract receiveGoAway(lastStreamId: number): void;

  /** Called after each SETTINGS frame of the peer. */
  protected settled(): void {
    // Most have nothing to do.
  }

  protected begin(more: readonly (readonly [id: number, value: number])[]): void {
    const { streamWindow, fieldBytesMax } = this.limits;
    this.output.settings([
      ...more,
      [settingIds.maxHeaderListSize, fieldBytesMax],
      ...(streamWindow === WINDOW_DEFAULT ? [] : [[settingIds.initialWindowSize, streamWindow] as const]),
    ]);
    this.#update(CONNECTION_WINDOW - WINDOW_DEFAULT);
    this.wake();
  }

  protected finishIfIdle(): void {
    if (this.isLeaving && this.opened.size === 0 && !this.#isOver) this.#events.finished(errorCodes.none);
  }

  /** Returns false when nothing more may be read. */
  #frame(frame: Frame): boolean {
    const { type } = frame;
    if (!this.hasSettings && type !== frameTypes.settings) throw protocolError('no settings');
    this.#blocks.check(frame);
    if (type <= frameTypes.headers || type === frameTypes.rstStream || type === frameTypes.continuation)
      this.#frameOfStream(frame);
    else this.#frameOfConnection(frame);
    return !this.#isOver;
  }

  #frameOfStream(frame: Frame): void {
    if (frame.streamId === 0) throw protocolError('a frame names no stream');
    if (frame.type === frameTypes.data) return this.#data(frame);
    if (frame.type === frameTypes.rstStream) return this.#rstStream(frame);
    const block = this.#blocks.take(frame);
    if (block !== undefined) this.receiveBlock(block);
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
        if (frame.payload.length < OPAQUE_BYTES)
          throw new ConnectionError(errorCodes.frameSize, 'a frame of a wrong size');
        return this.receiveGoAway(uint32At(frame.payload, 0) & WINDOW_MAX);
      case frameTypes.pushPromise:
        throw protocolError('the peer pushes');
      default:
      // Unknown frames are ignored (section 5.5).
    }
  }

  #data(frame: Frame): void {
    const size = frame.payload.length;
    const bytes = dataIn(frame);
    this.#receiveWindow -= size;
    if (this.#receiveWindow < 0) throw new ConnectionError(errorCodes.flowControl, 'too much data');
    const stream = this.streamOf(frame.streamId);
    stream?.receiveData(bytes, size);
    if ((frame.flags & flags.endStream) !== 0) stream?.receiveEnd();
    this.#widen();
  }

  #rstStream(frame: Frame): void {
    mustHave(frame, 4);
    const stream = this.streamOf(frame.streamId);
    if (stream === undefined) return;
    stream.abort(uint32At(frame.payload, 0));
    this.faulted();
  }

  #settings({ payload, streamId, flags: bits }: Frame): void {
    const isAck = (bits & flags.ack) !== 0;
    if (streamId !== 0) throw protocolError('settings of a stream');
    if (payload.length % 6 !== 0 || (isAck && payload.length > 0))
      throw new ConnectionError(errorCodes.frameSize, 'settings of a wrong size');
    this.hasSettings = true;
    if (isAck) return;
    this.#limit((this.#settingsFrames ??= new FrameBudget(SETTINGS_BURST, this.#options.nowMs())));
    const before = this.peerSettings.streamWindow;
    this.peerSettings = settingsAfter(this.peerSettings, payload);
    this.#resizeStreams(this.peerSettings.streamWindow - before);
    this.output.frame({ type: frameTypes.settings, flags: flags.ack, streamId: 0 }, NO_BYTES);
    this.wake();
    this.settled();
  }

  /** Once for each frame, because a client may have thousands of streams. */
  #resizeStreams(more: number): void {
    if (more === 0) return;
    for (const stream of this.opened.values())
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
      const stream = this.streamOf(frame.streamId);
      if (more === 0) stream?.fail(errorCodes.protocol);
      else if (stream?.widen(more) === false) stream.fail(errorCodes.flowControl);
      return;
    }
    if (more === 0) throw protocolError('a window of nothing');
    this.#sendWindow += more;
    if (this.#sendWindow > WINDOW_MAX)
      throw new ConnectionError(errorCodes.flowControl, 'a window is too large');
    this.#flushWaiting();
  }

  /** Stops when there is no room, because a peer may make room byte by byte for thousands of streams. */
  #flushWaiting(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    for (const stream of waiting) {
      if (this.room() <= 0) return;
      waiting.delete(stream);
      if (stream.isOpen && stream.flush()) stream.listener.drained();
    }
  }

  /** Lets the peer send more, unless too much is unread. */
  #widen(): void {
    if (this.#receiveWindow >= CONNECTION_WINDOW / 2 || this.#isOver) return;
    if (this.#unreadBytes > this.limits.unreadBytesMax) return;
    this.#update(CONNECTION_WINDOW - this.#receiveWindow);
    this.#receiveWindow = CONNECTION_WINDOW;
  }

  #update(bytes: number): void {
    this.output.numbers({ type: frameTypes.windowUpdate, flags: flags.none, streamId: 0 }, bytes);
    this.wake();
  }

  #goAway(code: ErrorCode): void {
    const start = { type: frameTypes.goaway, flags: flags.none, streamId: 0 };
    this.output.numbers(start, this.acceptedStreamId, code);
    this.wake();
  }

  #fail({ code }: ConnectionError): void {
    this.isLeaving = true;
    this.#goAway(code);
    this.#isOver = true;
    this.#events.finished(code);
  }
}
