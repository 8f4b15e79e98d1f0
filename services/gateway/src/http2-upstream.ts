import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { http2Options, Http2Transport } from '@tinkerbell/engine-http-connections';
import { ClientConnection } from '@tinkerbell/http2';
import { CallRelay } from './call-relay.ts';
import type { RelayedCall } from './client-call.ts';
import { requestBlock } from './http2-fields.ts';
import type { Endpoint } from './route-file.ts';
import {
  CONNECT_TIMEOUT_MS,
  type UpstreamAnswer,
  type UpstreamClient,
  type UpstreamRequest,
} from './upstream-client.ts';
import { UpstreamFailure } from './upstream-failure.ts';
import { UpstreamStream } from './upstream-stream.ts';

const IDLE_MS = 300_000;
/** For all connections: what is read into it is copied before anything else is read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
const options = http2Options({
  /** The number of streams per connection when the upstream announces none. */
  streamsMax: 1000,
  /** A larger window makes use of long fat lines. */
  streamWindow: 1024 * 1024,
  /** All clients share the connection. HeldBodies cuts off those that do not read before this stops the others. */
  unreadBytesMax: 256 * 1024 * 1024,
});

export interface Http2ClientOptions {
  readonly tls?: { readonly ca?: string | undefined; readonly servername?: string | undefined } | undefined;
}

/** Endpoints that use HTTP/2: h2c with prior knowledge, or over TLS. It opens as many connections as their streams need. */
export function createHttp2Client(endpoint: Endpoint, { tls }: Http2ClientOptions): UpstreamClient {
  const connections = new Set<ClientConnection>();
  let opening: Promise<ClientConnection> | undefined;

  function free(): ClientConnection | undefined {
    for (const connection of connections) if (connection.hasPlace) return connection;
    return undefined;
  }

  async function open(): Promise<ClientConnection> {
    opening ??= openConnection((receive) => socketTo(endpoint, tls, receive), connections).finally(() => {
      opening = undefined;
    });
    const connection = await opening;
    if (!connection.hasPlace && connection.streams === 0)
      throw new UpstreamFailure('the upstream accepts no requests', true);
    return connection;
  }

  return {
    free,
    async ask(request: UpstreamRequest): Promise<UpstreamAnswer> {
      let connection = free();
      // Others that waited for the same connection may have filled it.
      while (connection === undefined) {
        await open();
        connection = free();
      }
      return request.relay === undefined
        ? new UpstreamStream(request).ask(connection)
        : relayed(request, request.relay, connection);
    },
    close() {
      for (const connection of connections) connection.leave();
    },
  };
}

function relayed(
  request: UpstreamRequest,
  call: RelayedCall,
  connection: ClientConnection,
): Promise<UpstreamAnswer> {
  const { gone } = request;
  return new Promise((resolve, reject) => {
    if (gone.hasHappened) return reject(new UpstreamFailure('the client has disconnected', false));
    const ended = Promise.withResolvers<number>();
    const relay = new CallRelay(call, {
      answered: (status) => resolve(relayedAnswer(status, ended.promise)),
      ended: ended.resolve,
      failed: reject,
    });
    relay.begin(connection, requestBlock(request));
    gone.onHappened(() => relay.giveUp());
  });
}

function relayedAnswer(status: number, bytes: Promise<number>): UpstreamAnswer {
  return { status, fields: {}, relayed: bytes, trailers: () => undefined, isCut: () => false };
}

type Receive = (bytes: Uint8Array) => void;

/** `receive` is called with what arrives. */
function socketTo({ host, port }: Endpoint, tls: Http2ClientOptions['tls'], receive: Receive): Socket {
  if (tls === undefined) {
    const callback = (count: number): boolean => {
      receive(readBuffer.subarray(0, count));
      return true;
    };
    return connectTcp({ host, port, noDelay: true, onread: { buffer: readBuffer, callback } });
  }
  const servername = tls.servername ?? (isIP(host) === 0 ? host : undefined);
  const socket = connectTls({
    host,
    port,
    ALPNProtocols: ['h2'],
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(servername === undefined ? {} : { servername }),
  });
  return socket.setNoDelay(true).on('data', receive);
}

/** Resolves when the upstream has sent its settings. The connection is in `all` for as long as it exists. */
function openConnection(
  connect: (receive: Receive) => Socket,
  all: Set<ClientConnection>,
): Promise<ClientConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect((bytes) => connection.receive(bytes));
    const fail = (message: string): void => {
      reject(new UpstreamFailure(message, true));
      socket.destroy();
    };
    const transport = new Http2Transport(socket, {
      failed: (code) => fail(`the upstream broke HTTP/2: error ${code}`),
    });
    const connection: ClientConnection = new ClientConnection(
      {
        output: () => transport.output(),
        paused: () => transport.paused(),
        finished: (code) => transport.finished(code),
        ready() {
          socket.setTimeout(0);
          socket.removeAllListeners('timeout');
          socket.setTimeout(IDLE_MS, () => connection.leave());
          all.add(connection);
          resolve(connection);
        },
      },
      options,
    );
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(`no connection within ${CONNECT_TIMEOUT_MS} ms`));
    socket.on('error', (error) => fail(error.message));
    socket.once('close', () => {
      all.delete(connection);
      fail('the connection was closed');
    });
    socket.once('secureConnect', function check(this: TLSSocket) {
      if (this.alpnProtocol !== 'h2') fail('the upstream does not offer HTTP/2');
    });
    transport.carry(connection);
  });
}
