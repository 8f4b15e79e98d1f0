/**
 * gRPC over HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md), as far as a load needs
 * it: no compression, no deadlines, one connection for each agent. A client library would take as long as the
 * server that is measured.
 */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type SecureClientSessionOptions,
} from 'node:http2';

const PREFIX_BYTES = 5;
const CONNECT_MS_MAX = 10_000;

/** A method from `serviceDefinition`. */
export interface Method<Request, Response> {
  readonly path: string;
  requestSerialize(value: Request): Buffer;
  responseDeserialize(bytes: Buffer): Response;
}

/** An answer that is not OK. */
export class CallError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(`gRPC status ${code}: ${message}`);
    this.code = code;
  }
}

/** What happens on a stream of responses. */
export interface Responses<Response> {
  readonly onMessage: (response: Response) => void;
  /** Receives the reason for the end. */
  readonly onEnd: (error: CallError | undefined) => void;
}

export interface Requests<Request> {
  send(request: Request): void;
  /** Ends the requests. A method that accepts one request answers only then. */
  end(): void;
}

export interface ConnectionOptions {
  /** TLS with this setting. Absent: no TLS. */
  readonly tls?: { readonly rejectUnauthorized: boolean };
  /** The address that the connection comes from. */
  readonly localAddress?: string;
}

export class GrpcConnection {
  readonly #session: ClientHttp2Session;
  #headers: Readonly<Record<string, string>> = {};

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  /** @throws Error when the server does not answer. */
  static async open(authority: string, options: ConnectionOptions = {}): Promise<GrpcConnection> {
    const { tls, localAddress } = options;
    const place: SecureClientSessionOptions & { localAddress?: string } = {
      ...tls,
      ...(localAddress === undefined ? {} : { localAddress }),
    };
    const session = connect(`${tls === undefined ? 'http' : 'https'}://${authority}`, place);
    await new Promise<void>((resolve, reject) => {
      session.once('connect', () => resolve()).once('error', reject);
      session.setTimeout(CONNECT_MS_MAX, () => {
        reject(new Error(`${authority} does not answer`));
        session.destroy();
      });
    });
    session.setTimeout(0);
    // Calls report what breaks the connection.
    session.on('error', () => undefined);
    return new GrpcConnection(session);
  }

  /** Sends the header with every call from now on. */
  present(name: string, value: string): void {
    this.#headers = { ...this.#headers, [name]: value };
  }

  isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** @throws CallError */
  unary<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      let answer: Response | undefined;
      const stream = this.#begin(
        method,
        (response: Response) => (answer = response),
        (error) => {
          if (answer === undefined) reject(error ?? new CallError(0, 'an answer without a message'));
          else resolve(answer);
        },
      );
      stream.end(framed(method.requestSerialize(request)));
    });
  }

  /** Sends requests with `send`. `onEnd` receives the reason for the end. */
  stream<Request, Response>(
    method: Method<Request, Response>,
    handlers: Responses<Response>,
  ): Requests<Request> {
    const stream = this.#begin(method, handlers.onMessage, handlers.onEnd);
    return {
      send: (request) => void stream.write(framed(method.requestSerialize(request))),
      end: () => void stream.end(),
    };
  }

  #begin<Request, Response>(
    method: Method<Request, Response>,
    onMessage: (response: Response) => void,
    onEnd: (error: CallError | undefined) => void,
  ): ClientHttp2Stream {
    const stream = this.#session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: method.path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...this.#headers,
    });
    let received: Buffer = Buffer.alloc(0);
    let error: CallError | undefined = new CallError(14, 'the connection broke');
    const takeStatus = (headers: Readonly<Record<string, unknown>>): void => {
      const code = headers['grpc-status'];
      if (code === undefined) return;
      error = Number(code) === 0 ? undefined : new CallError(Number(code), String(headers['grpc-message']));
    };
    stream.on('response', takeStatus);
    stream.on('trailers', takeStatus);
    stream.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      for (let bytes = messageBytes(received); bytes !== undefined; bytes = messageBytes(received)) {
        onMessage(method.responseDeserialize(received.subarray(PREFIX_BYTES, bytes)));
        received = received.subarray(bytes);
      }
    });
    stream.on('error', () => undefined);
    stream.on('close', () => onEnd(error));
    return stream;
  }

  close(): void {
    this.#session.destroy();
  }
}

function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, PREFIX_BYTES);
  return frame;
}

/** Returns the first message with its prefix, or undefined until all of it has arrived. */
function messageBytes(received: Buffer): number | undefined {
  if (received.length < PREFIX_BYTES) return undefined;
  const bytes = PREFIX_BYTES + received.readUInt32BE(1);
  return received.length < bytes ? undefined : bytes;
}
