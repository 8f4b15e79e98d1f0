/** One gRPC call on a stream of HTTP/2: its messages, its deadline and its status. */
import { fieldOf, type Fields, type ServerStream, type StreamListener } from '@tinkerbell/http2';
import { nextTurn, type Clock } from '@tinkerbell/platform-contract';
import { answerHeaders, trailersOf, trailersOnly } from './answer-fields.ts';
import { CallFailure } from './call-failure.ts';
import { parseTimeout } from './deadline.ts';
import { decompress } from './decompress.ts';
import { grpcStatus, type GrpcStatus } from './grpc-status.ts';
import { MessageSplitter, prefixed, type RawMessage } from './messages.ts';

const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** The limit for incomplete messages on one connection. A thousand agents behind a gateway share one. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/** Requests of a stream that are read in one turn of the event loop. A frame may have three thousand empty ones. */
const READ_AT_ONCE = 20;

/** Shared, because most calls never wait for room. */
const NOBODY: readonly (() => void)[] = [];

/** A method as `serviceDefinition` describes it. */
export interface CallMethod<Request = unknown, Response = unknown> {
  readonly path: string;
  readonly requestStream: boolean;
  requestDeserialize(bytes: Buffer): Request;
  responseSerialize(value: Response): Buffer;
}

/** Serves one method. `start` is called when a single request is complete, and at once for a stream of requests. */
export interface CallHandler<Request, Response> {
  start(call: ServerCall<Request, Response>): void;
}

/** The connection of a call. */
export interface CallPeer {
  /** `127.0.0.1:50123`. IPv6 addresses are in brackets. */
  address(): string;
  /** The bytes of incomplete messages of all its calls. */
  heldBytes: number;
}

export interface ServerCallDeps<Request, Response> {
  readonly stream: ServerStream;
  readonly fields: Fields;
  readonly method: CallMethod<Request, Response>;
  readonly handler: CallHandler<Request, Response>;
  readonly peer: CallPeer;
  readonly clock: Clock;
}

export class ServerCall<Request = unknown, Response = unknown> implements StreamListener {
  /** Called when nobody waits for the answer any longer. */
  onCancelled: (() => void) | undefined;
  readonly #deps: ServerCallDeps<Request, Response>;
  readonly #messages = new MessageSplitter(MESSAGE_BYTES_MAX);
  /** Requests that nobody has read. */
  #requests: Buffer[] = [];
  /** That of a method that has one. */
  #single: { readonly request: Request } | undefined;
  #isRequestOver = false;
  #hasAnswered = false;
  #isOver = false;
  /** Bytes that the client may send again when the requests have been read. */
  #unread = 0;
  /** They are decompressed one after the other, and what follows waits with them. */
  #compressed: RawMessage[] = [];
  #decompressing: Promise<void> | undefined;
  #cancelDeadline: (() => void) | undefined;
  #reader: Reader<Request> | undefined;
  #isReading = false;
  /** Those who wait for room: orders to an agent are sent beside its actions. */
  #senders = NOBODY;

  /** Throws a CallFailure for an invalid deadline. */
  constructor(deps: ServerCallDeps<Request, Response>) {
    this.#deps = deps;
    const timeout = this.header('grpc-timeout');
    if (timeout !== undefined) this.#limit(timeout);
  }

  begin(): void {
    const { stream, method, handler } = this.#deps;
    stream.listener = this;
    if (method.requestStream) handler.start(this);
  }

  get path(): string {
    return this.#deps.method.path;
  }

  get peer(): string {
    return this.#deps.peer.address();
  }

  /** Returns the value of a header, or undefined when it is absent. */
  header(name: string): string | undefined {
    return fieldOf(this.#deps.fields, name);
  }

  /** The request of a method that has one. Throws for any other. */
  get request(): Request {
    if (this.#single !== undefined) return this.#single.request;
    throw new Error(`${this.path} was started without a request`);
  }

  /**
   * Calls `take` for each request of a stream, one after the other. Resolves when the client sends no more, also when the stream breaks.
   * Rejects when `take` does. Between two requests nothing waits, because what ten thousand idle agents leave waiting costs the
   * garbage collector more than the rest of their heartbeats.
   */
  eachRequest(take: (request: Request) => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reader = { take, resolve, reject };
      void this.#read();
    });
  }

  /** Returns false when the client must read before more is sent. */
  send(response: Response): boolean {
    if (this.#isOver) return true;
    const { stream, method } = this.#deps;
    if (!this.#hasAnswered) stream.sendHeaders(answerHeaders, false);
    this.#hasAnswered = true;
    return stream.sendData(prefixed(method.responseSerialize(response)));
  }

  /** Resolves when more can be sent, or the call is over. */
  room(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => (this.#senders = [...this.#senders, resolve]));
  }

  /** Ends the call. Does nothing when it is over. */
  finish(code: GrpcStatus, details = ''): void {
    if (this.#isOver) return;
    this.#leave();
    const { stream } = this.#deps;
    if (this.#hasAnswered) stream.sendTrailers(trailersOf(code, details));
    else stream.sendHeaders(trailersOnly(code, details), true);
  }

  data(bytes: Uint8Array): void {
    const { stream, peer } = this.#deps;
    if (this.#isOver) return stream.consumed(bytes.length);
    peer.heldBytes -= this.#messages.held;
    const messages = this.#messages.push(bytes);
    if (messages === undefined)
      return this.#fail(grpcStatus.resourceExhausted, `a message is larger than ${MESSAGE_BYTES_MAX} bytes`);
    peer.heldBytes += this.#messages.held;
    if (peer.heldBytes > HELD_BYTES_MAX)
      return this.#fail(grpcStatus.resourceExhausted, 'too much data on one connection');
    for (const message of messages) this.#take(message);
    this.#unread += bytes.length;
    this.#mayReturnUnread();
  }

  end(): void {
    if (this.#decompressing === undefined) this.#end();
    else void this.#decompressing.then(() => this.#end());
  }

  drained(): void {
    const senders = this.#senders;
    this.#senders = NOBODY;
    for (const resume of senders) resume();
  }

  aborted(): void {
    if (this.#isOver) return;
    this.#leave();
    this.onCancelled?.();
  }

  #limit(text: string): void {
    const timeoutMs = parseTimeout(text);
    if (timeoutMs === undefined) throw new CallFailure(grpcStatus.internal, `invalid grpc-timeout "${text}"`);
    const end = (): void => this.#fail(grpcStatus.deadlineExceeded, 'deadline exceeded');
    this.#cancelDeadline = this.#deps.clock.schedule(timeoutMs, end);
  }

  #take({ isCompressed, bytes }: RawMessage): void {
    if (!isCompressed && this.#decompressing === undefined) {
      this.#deliver(bytes);
      return;
    }
    this.#compressed.push({ isCompressed, bytes });
    this.#decompressing ??= this.#decompress();
  }

  async #decompress(): Promise<void> {
    const encoding = this.header('grpc-encoding') ?? 'identity';
    try {
      for (const { isCompressed, bytes } of this.#compressed)
        if (!this.#isOver)
          this.#deliver(
            isCompressed ? await decompress({ encoding, bytes, bytesMax: MESSAGE_BYTES_MAX }) : bytes,
          );
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      this.#fail(error.code, error.message);
    }
    this.#compressed = [];
    this.#decompressing = undefined;
    this.#mayReturnUnread();
  }

  #deliver(bytes: Buffer): void {
    if (this.#isOver) return;
    if (!this.#deps.method.requestStream && this.#requests.length > 0)
      return this.#fail(grpcStatus.unimplemented, 'the method has one request');
    this.#requests.push(bytes);
    if (this.#reader !== undefined && !this.#isReading) void this.#read();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isRequestOver = true;
    const { method, handler } = this.#deps;
    if (method.requestStream) return void this.#read();
    const [bytes] = this.#requests;
    if (bytes === undefined) return this.#fail(grpcStatus.unimplemented, 'the method has one request');
    this.#single = this.#decoded(bytes);
    if (this.#single !== undefined) handler.start(this);
  }

  /** Fails the call, and returns undefined, when the bytes are invalid. */
  #decoded(bytes: Buffer): { readonly request: Request } | undefined {
    try {
      return { request: this.#deps.method.requestDeserialize(bytes) };
    } catch {
      // Its message would quote what the client sent.
      this.#fail(grpcStatus.internal, 'the request cannot be decoded');
      return undefined;
    }
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined || this.#isReading) return;
    this.#isReading = true;
    try {
      let left = READ_AT_ONCE;
      for (let next = this.#requests.shift(); next !== undefined; next = this.#requests.shift()) {
        if (this.#requests.length === 0) this.#returnUnread();
        const decoded = this.#decoded(next);
        if (decoded === undefined) break;
        await reader.take(decoded.request);
        if ((left -= 1) > 0) continue;
        left = READ_AT_ONCE;
        await nextTurn();
      }
      if (this.#isRequestOver || this.#isOver) reader.resolve();
    } catch (error) {
      this.#reader = undefined;
      reader.reject(error);
    }
    this.#isReading = false;
  }

  #mayReturnUnread(): void {
    if (this.#requests.length === 0 || !this.#deps.method.requestStream) this.#returnUnread();
  }

  #returnUnread(): void {
    if (this.#unread === 0 || this.#decompressing !== undefined) return;
    this.#deps.stream.consumed(this.#unread);
    this.#unread = 0;
  }

  #fail(code: GrpcStatus, details: string): void {
    if (this.#isOver) return;
    this.finish(code, details);
    this.onCancelled?.();
  }

  #leave(): void {
    this.#isOver = true;
    this.#deps.peer.heldBytes -= this.#messages.held;
    this.#cancelDeadline?.();
    void this.#read();
    this.drained();
  }
}

interface Reader<Request> {
  take(request: Request): Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}
