/**
 * gRPC over HTTP/2 for a load, on a bare socket: node:http2 would take half as long as the server that is measured. Each agent has its own
 * connection. No compression, no deadlines, no TLS.
 */
import { connect, type Socket } from 'node:net';

import { fieldOf, HpackDecoder, TextPool } from '@tinkerbell/http2';
import { frame, number, PREFACE, settings } from '@tinkerbell/http2/testing';
import { CallError, type Method, type Requests, type Responses } from '@tinkerbell/sim/grpc-connection';

import { RequestFields } from './request-fields.ts';

const HEADER_BYTES = 9;
const PREFIX_BYTES = 5;
/** The largest that a peer accepts without a setting. No request of a load is larger. */
const FRAME_BYTES_MAX = 16_384;
const [DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE] = [0, 1, 3, 4, 6, 7, 8] as const;
const [END_STREAM, ACK, END_HEADERS, PADDED] = [1, 1, 4, 8] as const;
/** No dynamic table, no push, and the largest window for each stream. */
const OWN_SETTINGS = settings([
  [1, 0],
  [2, 0],
  [4, 0x7fff_ffff],
]);
/** The connection's window is renewed when this much has been received. */
const WINDOW_BYTES = 0x1000_0000;
const WINDOW_DEFAULT = 65_535;
const FIELDS_BYTES_MAX = 65_536;
const NOTHING = Buffer.alloc(0);

interface Call extends Responses<Buffer> {
  received: Buffer;
}

/** The blocks of answers mean the same for every connection, because none has a dynamic table. */
const decoded = new Map<string, readonly string[]>();

export class LoadGrpc {
  readonly #socket: Socket;
  readonly #requestFields: RequestFields;
  readonly #calls = new Map<number, Call>();
  readonly #fields = new HpackDecoder(new TextPool(), FIELDS_BYTES_MAX, (bytes) =>
    Buffer.from(bytes).toString('latin1'),
  );
  #nextStream = 1;
  #rest: Buffer = NOTHING;
  #received = 0;
  #unsent: Buffer[] = [];

  private constructor(socket: Socket, authority: string) {
    this.#socket = socket;
    this.#requestFields = new RequestFields(authority);
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    // It is followed by the close.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#lost());
    socket.write(
      Buffer.concat([Buffer.from(PREFACE), OWN_SETTINGS, windowUpdate(WINDOW_BYTES - WINDOW_DEFAULT)]),
    );
  }

  /** @throws Error when the server does not accept the connection. */
  static async open(authority: string): Promise<LoadGrpc> {
    const { hostname, port } = new URL(`http://${authority}`);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new LoadGrpc(socket, authority);
  }

  /** @throws CallError */
  unary<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined;
      const stream = this.#begin(method.path, {
        onMessage: (message) => (answer = message),
        onEnd: (error) => {
          if (error !== undefined) reject(error);
          else if (answer === undefined) reject(new CallError(0, 'an answer without a message'));
          else resolve(method.responseDeserialize(answer));
        },
      });
      this.#send(stream, method.requestSerialize(request), END_STREAM);
    });
  }

  /** Sends requests with `send`. `onEnd` receives the reason for the end. */
  stream<Request, Response>(
    method: Method<Request, Response>,
    handlers: Responses<Response>,
  ): Requests<Request> {
    const { onMessage, onEnd } = handlers;
    const stream = this.#begin(method.path, {
      onMessage: (message) => onMessage(method.responseDeserialize(message)),
      onEnd,
    });
    return {
      send: (request) => this.#send(stream, method.requestSerialize(request), 0),
      end: () => this.#write(frame(DATA, END_STREAM, stream, NOTHING)),
    };
  }

  close(): void {
    this.#socket.destroy();
  }

  #begin(path: string, handlers: Responses<Buffer>): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    this.#calls.set(stream, { ...handlers, received: NOTHING });
    this.#write(frame(HEADERS, END_HEADERS, stream, this.#requestFields.block(path)));
    return stream;
  }

  #send(stream: number, message: Buffer, flags: number): void {
    const payload = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
    payload[0] = 0;
    payload.writeUInt32BE(message.length, 1);
    payload.set(message, PREFIX_BYTES);
    if (payload.length > FRAME_BYTES_MAX) throw new Error(`a request of ${payload.length} bytes`);
    this.#write(frame(DATA, flags, stream, payload));
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
    let at = 0;
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
    const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    const payload = bytes.subarray(at + HEADER_BYTES, end);
    if (type === DATA || type === HEADERS) this.#frameOfCall(stream, { type, flags, payload });
    else if (type === SETTINGS && (flags & ACK) === 0) this.#write(frame(SETTINGS, ACK, 0, NOTHING));
    else if (type === PING && (flags & ACK) === 0) this.#write(frame(PING, ACK, 0, payload));
    else if (type === RST_STREAM) this.#end(stream, new CallError(13, 'the stream was reset'));
    else if (type === GOAWAY) this.#socket.destroy();
  }

  #frameOfCall(
    stream: number,
    { type, flags, payload }: { type: number; flags: number; payload: Buffer },
  ): void {
    const call = this.#calls.get(stream);
    if (call === undefined) return;
    if ((flags & PADDED) !== 0 || (type === HEADERS && (flags & END_HEADERS) === 0))
      return void this.#socket.destroy(new Error('a frame that this client does not support'));
    if (type === DATA) return this.#data(stream, call, { flags, payload });
    const fields = this.#decode(payload);
    if ((flags & END_STREAM) !== 0) this.#end(stream, statusOf(fields));
  }

  #data(stream: number, call: Call, { flags, payload }: { flags: number; payload: Buffer }): void {
    call.received = call.received.length === 0 ? payload : Buffer.concat([call.received, payload]);
    while (call.received.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + call.received.readUInt32BE(1);
      if (call.received.length < end) break;
      call.onMessage(call.received.subarray(PREFIX_BYTES, end));
      call.received = call.received.subarray(end);
    }
    if ((flags & END_STREAM) !== 0) this.#end(stream, new CallError(13, 'no status'));
  }

  #decode(block: Buffer): readonly string[] {
    const text = block.toString('latin1');
    let fields = decoded.get(text);
    if (fields === undefined) decoded.set(text, (fields = this.#fields.decode(block) ?? []));
    return fields;
  }

  #end(stream: number, error: CallError | undefined): void {
    const call = this.#calls.get(stream);
    this.#calls.delete(stream);
    call?.onEnd(error);
  }

  #lost(): void {
    for (const stream of this.#calls.keys()) this.#end(stream, new CallError(14, 'the connection broke'));
  }
}

function statusOf(fields: readonly string[]): CallError | undefined {
  const status = fieldOf(fields, 'grpc-status') ?? '2';
  return status === '0' ? undefined : new CallError(Number(status), fieldOf(fields, 'grpc-message') ?? '');
}

function windowUpdate(bytes: number): Buffer {
  return frame(WINDOW_UPDATE, 0, 0, number(bytes));
}
