import type { Agent, IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Endpoint } from './route-file.ts';
import { newPart } from './upstream-part.ts';
import {
  CONNECT_TIMEOUT_MS,
  isSafe,
  type UpstreamAnswer,
  type UpstreamClient,
  type UpstreamRequest,
} from './upstream-client.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

const FREE_SOCKETS_MAX = 64;
/** Below the five seconds after which Node servers close idle connections. */
const FREE_SOCKET_MS = 4000;

/** One for all, because each captures a stack, and one connection may have had hundreds of requests. */
const CLIENT_GONE = new Error('the client has disconnected');

/** Nothing more is read while one part waits. */
const ONE_PART = { readableHighWaterMark: 1 } as const;
/** For all connections: what is read into it is copied before anything else is read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** Endpoints that use HTTP/1.1. Connections are kept alive. `partBytes` returns how much is read at once, up to 64 KiB. */
export function createHttp1Client({ host, port }: Endpoint, partBytes: () => number): UpstreamClient {
  const agent = new nodeHttp.Agent({
    keepAlive: true,
    maxFreeSockets: FREE_SOCKETS_MAX,
    timeout: FREE_SOCKET_MS,
    scheduling: 'lifo',
  });
  agent.createConnection = () => connectInParts({ host, port }, partBytes);
  return {
    ask: (request) => ask(request, { host, port, agent }),
    close() {
      // Connections in use close themselves after they have been idle for a while.
      for (const sockets of Object.values(agent.freeSockets))
        for (const socket of sockets ?? []) socket.destroy();
    },
  };
}

/** Returns a connection that reads no further while one part waits. By default Node reads 64 KiB, and as much again. */
function connectInParts({ host, port }: Endpoint, partBytes: () => number): Socket {
  let part = readBuffer.subarray();
  const socket: Socket = connect({
    host,
    port,
    noDelay: true,
    ...ONE_PART,
    onread: {
      buffer() {
        const bytes = partBytes();
        if (bytes !== part.length) part = readBuffer.subarray(0, bytes);
        return part;
      },
      callback: (count, bytes): boolean => socket.push(newPart(bytes.subarray(0, count))),
    },
  });
  return socket;
}

function ask(
  request: UpstreamRequest,
  { host, port, agent }: Endpoint & { readonly agent: Agent },
): Promise<UpstreamAnswer> {
  const { method, path, authority, fields, body, gone, isWebSocket = false } = request;
  const { te: _, ...others } = fields;
  const headers = { ...others, host: authority, ...framing(request) } as Record<string, string | string[]>;
  return new Promise((resolve, reject) => {
    const outgoing = nodeHttp.request({
      host,
      port,
      method,
      path,
      // Its connection serves no request after it.
      agent: isWebSocket ? false : agent,
      headers: isWebSocket ? { ...headers, connection: 'Upgrade', upgrade: 'websocket' } : headers,
      joinDuplicateHeaders: true,
    });
    const giveUp = (): void => void outgoing.destroy(CLIENT_GONE);
    gone.onHappened(giveUp);
    outgoing.once('close', () => gone.forget(giveUp));
    let isConnected = false;
    outgoing.once('socket', (socket) => {
      // The agent's time limit is for unused sockets.
      socket.setTimeout(0);
      const start = (): void => {
        isConnected = true;
        socket.setTimeout(0);
        if (body === undefined) return void outgoing.end();
        body.pipe(outgoing);
        // The head leaves with the first part of the body, unless none has arrived: the answer may not need it.
        setImmediate(() => outgoing.flushHeaders());
      };
      if (!socket.connecting) return start();
      socket.setTimeout(CONNECT_TIMEOUT_MS, () => {
        if (!isConnected) outgoing.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`));
      });
      socket.once('connect', start);
    });
    outgoing.on('error', (error) => {
      body?.unpipe(outgoing);
      reject(new UpstreamFailure(error.message, !isConnected || isSafe(request)));
    });
    outgoing.once('response', (incoming) => resolve(answerOf(incoming)));
    outgoing.once('upgrade', (incoming, socket, head) => {
      gone.forget(giveUp);
      socket.unshift(head);
      resolve({ ...answerOf(incoming), webSocket: socket });
    });
  });
}

/** Returns one Content-Length or exactly `chunked`. Node would send the body of a GET with neither. */
function framing({ fields, body }: UpstreamRequest): Readonly<Record<string, string>> {
  return body !== undefined && fields['content-length'] === undefined
    ? { 'transfer-encoding': 'chunked' }
    : {};
}

function answerOf(incoming: IncomingMessage): UpstreamAnswer {
  // The reader sees it in isCut. Without a listener the error would end the process.
  incoming.on('error', () => undefined);
  return {
    status: incoming.statusCode ?? 502,
    fields: incoming.headers,
    body: incoming,
    trailers: () => undefined,
    isCut: () => !incoming.complete,
  };
}
