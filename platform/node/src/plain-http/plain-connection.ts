/** Serves plain requests on a socket without Node's parser and streams, which take half of the time of a short answer. */
import type { Socket } from 'node:net';
import {
  OWN_TURN_BYTES,
  WholeResponse,
  type Awaitable,
  type HeldBytes,
  type HttpHandler,
  type Log,
} from '@tinkerbell/platform-contract';
import { sendResponse } from '../http-response.ts';
import { badRequest, internalError, reportFailure } from '../failed-answers.ts';
import { nodeHttp } from '../node-http.ts';
import { oneByteText } from '../one-byte-text.ts';
import { plainAddress } from '../plain-address.ts';
import { turnShare } from '../turn-share.ts';
import { holdUnsent } from '../unsent-bytes.ts';
import { readPlainRequest } from './plain-request.ts';
import { ReceivedRequest, type ConnectionFacts } from './received-request.ts';
import { mayHaveBody, responseHead } from './response-head.ts';

/** What Node's parser says of a request of HTTP/1.1 that has arrived. */
const ARRIVED = { httpVersionMajor: 1, httpVersionMinor: 1, httpVersion: '1.1', complete: true };

export interface PlainServing {
  readonly handler: HttpHandler;
  readonly held: HeldBytes;
  readonly log: Log;
  readonly stalledMs?: number | undefined;
  /** The time for the first request, and between others. */
  readonly firstMs: number;
  readonly idleMs: number;
}

export class PlainConnection {
  readonly #socket: Socket;
  readonly #serving: PlainServing;
  readonly #passedOn: (bytes: Buffer) => void;
  readonly #facts: ConnectionFacts;
  #current: ReceivedRequest | undefined;
  /** What arrived while a request is answered. */
  #early: Buffer<ArrayBuffer> | undefined;
  #hasServed = false;

  /** `passedOn` gives the connection to Node's server, for good, with the bytes that it has received and not answered. */
  constructor(socket: Socket, serving: PlainServing, passedOn: (bytes: Buffer) => void) {
    this.#socket = socket;
    this.#serving = serving;
    this.#passedOn = passedOn;
    this.#facts = {
      peer: { address: plainAddress(socket.remoteAddress), port: socket.remotePort ?? 0 },
      localAddress: plainAddress(socket.localAddress),
    };
    socket.on('data', this.#received).on('end', this.#ended).on('close', this.#closed);
    socket.on('error', this.#failed).on('timeout', this.#timedOut).setTimeout(serving.firstMs);
  }

  get isIdle(): boolean {
    return this.#current === undefined;
  }

  close(): void {
    this.#socket.destroy();
  }

  readonly #received = (bytes: Buffer<ArrayBuffer>): void => {
    if (this.#current === undefined) return this.#take(bytes);
    this.#early = this.#early === undefined ? bytes : Buffer.concat([this.#early, bytes]);
    // The rest waits in the kernel. What is held here is one read.
    this.#socket.pause();
  };

  // The client has sent its last byte. As by Node's server, what it has not got by now it does not get.
  readonly #ended = (): void => void this.#socket.end();
  readonly #closed = (): void => this.#current?.end();
  readonly #failed = (): void => void this.#socket.destroy();
  readonly #timedOut = (): void => {
    if (this.isIdle) this.#socket.destroy();
  };

  #take(bytes: Buffer<ArrayBuffer>): void {
    const plain = readPlainRequest(bytes);
    if (plain === undefined) return this.#passOn(bytes);
    if (!this.#hasServed) this.#socket.setTimeout(this.#serving.idleMs);
    this.#hasServed = true;
    const request = new ReceivedRequest(plain, this.#facts);
    this.#current = request;
    const pause = turnShare.enter();
    if (pause === undefined) this.#answer(request);
    else void pause.then(() => this.#answer(request));
  }

  #passOn(bytes: Buffer<ArrayBuffer>): void {
    const socket = this.#socket;
    socket.off('data', this.#received).off('end', this.#ended).off('close', this.#closed);
    socket.off('error', this.#failed).off('timeout', this.#timedOut).setTimeout(0);
    this.#passedOn(bytes);
  }

  /** In this turn of the event loop, if the response is there at once and the socket takes it. */
  #answer(request: ReceivedRequest): void {
    let response: Awaitable<Response>;
    let isSent = false;
    try {
      response = request.url === '' ? badRequest() : this.#serving.handler(request, request);
      isSent = !(response instanceof Promise) && this.#sendWhole(response, request);
    } catch (thrown) {
      response = Promise.reject(thrown);
    }
    if (!isSent) void this.#answerLater(response, request);
    else if (this.#socket.writableLength > 0) void this.#drained().then(() => this.#answered(request));
    else this.#answered(request);
  }

  async #answerLater(response: Awaitable<Response>, request: ReceivedRequest): Promise<void> {
    try {
      await this.#send(await response, request);
    } catch (thrown) {
      this.#report(thrown, request);
      await this.#send(internalError(), request).catch(() => this.#socket.destroy());
    }
    this.#answered(request);
  }

  #answered(request: ReceivedRequest): void {
    request.end();
    this.#current = undefined;
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined) setImmediate(() => this.#resume(early));
  }

  #report(thrown: unknown, { method, target }: ReceivedRequest): void {
    // Nobody waits for the answer to a client that has disconnected.
    if (!this.#socket.destroyed) reportFailure(this.#serving.log, thrown, { method, path: target });
  }

  #resume(bytes: Buffer<ArrayBuffer>): void {
    if (this.#socket.destroyed) return;
    this.#socket.resume();
    this.#received(bytes);
  }

  async #send(response: Response, request: ReceivedRequest): Promise<void> {
    if (!this.#sendWhole(response, request)) await this.#sendByNode(response, request);
    else if (this.#socket.writableLength > 0) await this.#drained();
  }

  /** Returns false for a response that needs Node's. */
  #sendWhole(response: Response, { method }: ReceivedRequest): boolean {
    if (!(response instanceof WholeResponse) || response.whole.length > OWN_TURN_BYTES) return false;
    const { status } = response;
    const head = responseHead(status, response.headerRecord, this.#serving.idleMs / 1000);
    if (head === undefined) return false;
    if (this.#socket.writable)
      writeTogether(this.#socket, head, mayHaveBody(method, status) ? response : undefined);
    return true;
  }

  /** Sends streams, files and long answers. A failure ends the connection if the head has been sent. */
  async #sendByNode(response: Response, request: ReceivedRequest): Promise<void> {
    const { method } = request;
    const socket = this.#socket;
    const { held, stalledMs } = this.#serving;
    const incoming = Object.assign(new nodeHttp.IncomingMessage(socket), ARRIVED, { method });
    const outgoing = new nodeHttp.ServerResponse(incoming);
    outgoing.assignSocket(socket);
    const over = new Promise((resolve) => outgoing.once('finish', resolve).once('close', resolve));
    try {
      await sendResponse(response, outgoing, { incoming, held, stalledMs });
      await over;
    } catch (error) {
      if (!outgoing.headersSent) throw error;
      this.#report(error, request);
      socket.destroy();
    } finally {
      outgoing.detachSocket(socket);
      // As Node's server does. Others wait for it.
      outgoing.emit('close');
    }
  }

  async #drained(): Promise<void> {
    const socket = this.#socket;
    const release = holdUnsent(socket, { ...this.#serving, bytes: socket.writableLength });
    // Also called when the connection ends before.
    await new Promise((resolve) => void socket.write('', resolve));
    release();
  }
}

/** In one piece where that is cheaper. */
function writeTogether(socket: Socket, head: string, body: WholeResponse | undefined): void {
  if (body === undefined) return void socket.write(head, 'latin1');
  const text = oneByteText(body);
  if (text !== undefined) return void socket.write(head + text, 'latin1');
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body.whole);
  socket.uncork();
}
