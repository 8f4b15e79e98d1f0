import type { Readable, Writable } from 'node:stream';
import { UnsentBytes, errorCodes, type ServerStream, type StreamListener } from '@tinkerbell/http2';
import type { CallReceiver, ClientCall } from './client-call.ts';
import type { ConnectionFacts } from './connection-facts.ts';
import type { Exchange, ResponseHead } from './exchange.ts';
import type { HeaderFields } from './header-fields.ts';
import { IncomingBody, OutgoingBody } from './http2-body.ts';
import { blockOf } from './http2-fields.ts';
import type { RequestHead } from './request-head.ts';

const NO_BYTES = new Uint8Array(0);

/** A request of HTTP/2. Its body is held until somebody reads or relays it. */
export class Http2Exchange implements Exchange, ClientCall, StreamListener {
  readonly protocol = 'HTTP/2';
  readonly head: RequestHead;
  readonly stream: ServerStream;
  readonly hasBody: boolean;
  readonly #connection: ConnectionFacts;
  #closedTasks: (() => void)[] | undefined;
  /** What has arrived before somebody wanted it. */
  #early: UnsentBytes | undefined;
  #isReceived: boolean;
  #body: IncomingBody | undefined;
  #sink: OutgoingBody | undefined;
  #receiver: CallReceiver | undefined;
  #isAnswered = false;
  #isClosed = false;

  constructor(
    stream: ServerStream,
    { head, isEnd, connection }: { head: RequestHead; isEnd: boolean; connection: ConnectionFacts },
  ) {
    this.stream = stream;
    this.head = head;
    this.hasBody = !isEnd;
    this.#isReceived = isEnd;
    this.#connection = connection;
    stream.listener = this;
    if (head.fields['expect'] === '100-continue') stream.sendHeaders(blockOf([':status', '100'], {}), false);
  }

  get method(): string {
    return this.head.method;
  }

  get authority(): string {
    return this.head.authority;
  }

  get target(): string {
    return this.head.target;
  }

  get fields(): HeaderFields {
    return this.head.fields;
  }

  get problem(): string | undefined {
    return this.head.problem;
  }

  get peer(): string {
    return this.#connection.peer;
  }

  get sni(): string {
    return this.#connection.sni;
  }

  get isTls(): boolean {
    return this.#connection.isTls;
  }

  get body(): Readable | undefined {
    if (!this.hasBody) return undefined;
    if (this.#body === undefined) {
      this.#body = new IncomingBody(this.stream);
      if (this.#early !== undefined) this.#body.arrived(this.#early.bytes);
      this.#early = undefined;
      if (this.#isReceived) this.#body.finish();
      else if (this.#isClosed) this.#body.cut();
    }
    return this.#body;
  }

  get call(): ClientCall {
    return this;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  respond({ status, fields, hasBody, trailers }: ResponseHead): Writable | undefined {
    const { stream } = this;
    if (!stream.isOpen) return undefined;
    this.#isAnswered = true;
    const isEnd = !hasBody || this.method === 'HEAD';
    stream.sendHeaders(blockOf([':status', String(status)], fields), isEnd);
    if (isEnd) return undefined;
    this.#sink = new OutgoingBody(stream, () => {
      const last = trailers?.() ?? {};
      if (Object.keys(last).length === 0) stream.sendData(NO_BYTES, true);
      else stream.sendTrailers(blockOf([], last));
    });
    return this.#sink;
  }

  onClosed(task: () => void): void {
    if (this.#isClosed) task();
    else (this.#closedTasks ??= []).push(task);
  }

  abort(): void {
    this.stream.reset(errorCodes.internal);
    this.aborted();
  }

  relayTo(receiver: CallReceiver | undefined): void {
    this.#receiver = receiver;
    const early = this.#early?.bytes ?? NO_BYTES;
    if (receiver === undefined || (early.length === 0 && !this.#isReceived)) return;
    this.#early = undefined;
    if (this.hasBody) receiver.requested(early, this.#isReceived);
  }

  answered(): void {
    this.#isAnswered = true;
  }

  data(bytes: Uint8Array): void {
    if (this.#receiver !== undefined) return this.#receiver.requested(bytes, false);
    if (this.#body !== undefined) return this.#body.arrived(bytes);
    this.#early ??= new UnsentBytes();
    this.#early.append(bytes);
  }

  end(): void {
    if (this.#isReceived) return;
    this.#isReceived = true;
    this.#receiver?.requested(NO_BYTES, true);
    this.#body?.finish();
  }

  drained(): void {
    this.#receiver?.clientDrained();
    this.#sink?.drained();
  }

  /** The response is sent. What is left of the request is not needed. */
  completed(): void {
    this.#close();
  }

  aborted(): void {
    this.#sink?.destroy();
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#early = undefined;
    if (!this.#isReceived) this.#body?.cut();
    this.#receiver?.clientClosed();
    for (const task of this.#closedTasks ?? []) task();
  }
}
