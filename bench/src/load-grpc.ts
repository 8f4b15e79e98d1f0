/**
 * gRPC over HTTP/2 for a load. Each agent has its own connection. No compression, no deadlines, and certificates are not verified.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { fieldOf, HpackDecoder, TextPool } from '@tinkerbell/http2';
import { CallError, type Method, type Requests, type Responses } from '@tinkerbell/sim/grpc-connection';

import { DATA, FrameSocket, RST_STREAM, type StreamFrame } from './frame-socket.ts';
import { RequestFields } from './request-fields.ts';

const PREFIX_BYTES = 5;
const FIELDS_BYTES_MAX = 65_536;
const NOTHING = Buffer.alloc(0);

export interface LoadGrpcOptions {
  /** TLS 1.2 or 1.3. */
  readonly secure?: boolean;
  /** Sent with each call. */
  readonly token?: string | undefined;
}

interface Call extends Responses<Buffer> {
  received: Buffer;
}

/** The blocks of answers mean the same for every connection, because none has a dynamic table. */
const decoded = new Map<string, readonly string[]>();

export class LoadGrpc {
  readonly #frames: FrameSocket;
  readonly #requestFields: RequestFields;
  readonly #calls = new Map<number, Call>();
  readonly #fields = new HpackDecoder(new TextPool(), FIELDS_BYTES_MAX, (bytes) =>
    Buffer.from(bytes).toString('latin1'),
  );
  #nextStream = 1;
  #isLost = false;

  private constructor(socket: ReturnType<typeof connect>, fields: RequestFields) {
    this.#requestFields = fields;
    this.#frames = new FrameSocket(socket, 'client', (frame) => this.#take(frame));
    socket.once('close', () => this.#lost());
  }

  /** @throws Error when the server does not accept the connection. */
  static async open(authority: string, options: LoadGrpcOptions = {}): Promise<LoadGrpc> {
    const { secure = false, token } = options;
    const { hostname: host, port: text } = new URL(`http://${authority}`);
    const port = Number(text);
    const socket = secure
      ? connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
      : connect({ host, port });
    await once(socket, secure ? 'secureConnect' : 'connect');
    return new LoadGrpc(socket, new RequestFields(authority, secure, token));
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
      this.#send(stream, method.requestSerialize(request), true);
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
      send: (request) => this.#send(stream, method.requestSerialize(request), false),
      end: () => this.#frames.sendData(stream, NOTHING, true),
    };
  }

  close(): void {
    this.#frames.close();
  }

  #begin(path: string, handlers: Responses<Buffer>): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    this.#calls.set(stream, { ...handlers, received: NOTHING });
    if (this.#isLost) queueMicrotask(() => this.#lost());
    this.#frames.sendFields(stream, this.#requestFields.block(path), false);
    return stream;
  }

  #send(stream: number, message: Buffer, isLast: boolean): void {
    const payload = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
    payload[0] = 0;
    payload.writeUInt32BE(message.length, 1);
    payload.set(message, PREFIX_BYTES);
    this.#frames.sendData(stream, payload, isLast);
  }

  #take(frame: StreamFrame): void {
    const call = this.#calls.get(frame.stream);
    if (call === undefined) return;
    if (frame.type === RST_STREAM) this.#end(frame.stream, new CallError(13, 'the stream was reset'));
    else if (frame.type === DATA) this.#data(call, frame);
    else {
      const fields = this.#decode(frame.payload);
      if (frame.isLast) this.#end(frame.stream, statusOf(fields));
    }
  }

  #data(call: Call, { stream, isLast, payload }: StreamFrame): void {
    call.received = call.received.length === 0 ? payload : Buffer.concat([call.received, payload]);
    while (call.received.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + call.received.readUInt32BE(1);
      if (call.received.length < end) break;
      call.onMessage(call.received.subarray(PREFIX_BYTES, end));
      call.received = call.received.subarray(end);
    }
    if (isLast) this.#end(stream, new CallError(13, 'no status'));
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
    this.#isLost = true;
    for (const stream of this.#calls.keys()) this.#end(stream, new CallError(14, 'the connection broke'));
  }
}

function statusOf(fields: readonly string[]): CallError | undefined {
  const status = fieldOf(fields, 'grpc-status') ?? '2';
  return status === '0' ? undefined : new CallError(Number(status), fieldOf(fields, 'grpc-message') ?? '');
}
