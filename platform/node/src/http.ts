import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { hasTurn, limitRequests } from '@tinkerbell/engine-http-connections';
import {
  HeldBytes,
  PlatformError,
  WebSocketResponse,
  type ClientCertificate,
  type Http,
  type HttpContext,
  type HttpHandler,
  type HttpServer,
  type Log,
} from '@tinkerbell/platform-contract';
import { limitBodyTime, type BodyTimes } from './body-time.ts';
import { clientCertificateOf } from './client-certificate.ts';
import { badRequest, internalError, reportFailure } from './failed-answers.ts';
import { NodeHttpRequest } from './http-request.ts';
import { sendResponse } from './http-response.ts';
import { nodeHttp } from './node-http.ts';
import { plainAddress } from './plain-address.ts';
import { PlainConnections } from './plain-http/plain-connections.ts';
import { holderOf } from './port-holder.ts';
import { turnShare } from './turn-share.ts';
import { asksForWebSocket, WebSockets } from './web-socket.ts';

/**
 * Slow clients are cut off: headers within 10 s, a request body within 30 s unless the handler expects a long one (`body-time.ts`).
 * Responses may take as long as they progress (`chunk-writer.ts`).
 */
const HEADERS_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 120_000;
/**
 * The number of connections that the kernel queues until they are accepted, limited by net.core.somaxconn (4,096). Node's own 511
 * are full when all machines of a site that was switched on have loaded iPXE and request their scripts within a second.
 */
const BACKLOG = 16_384;
const HEADER_BYTES_LIMIT = 16 * 1024;
/**
 * Memory of responses that clients have not taken yet, for all connections together. A chunk that many of them wait for counts
 * once. A thousand machines at once load files over TLS in chunks of 64 KiB. A client that does not read for long must not starve
 * the rest.
 */
const HELD_BYTES_MAX = 72 * 1024 * 1024;
const CLOSE_GRACE_MS = 5000;
const CLOSE_SWEEP_MS = 20;

export interface NodeHttpOptions {
  /** A client that takes nothing of its response for this long is cut off. */
  readonly stalledMs?: number;
  /** Memory of responses that clients have not taken yet, for all servers created here. */
  readonly heldBytes?: HeldBytes;
  readonly bodyTimes?: BodyTimes;
}

export function createNodeHttp(
  log: Log,
  { stalledMs, heldBytes: held = new HeldBytes(HELD_BYTES_MAX), bodyTimes }: NodeHttpOptions = {},
): Http {
  return {
    async listen(options, handler) {
      const limits = {
        headersTimeout: HEADERS_TIMEOUT_MS,
        // Node's own limit holds for all requests alike.
        requestTimeout: 0,
        keepAliveTimeout: IDLE_TIMEOUT_MS,
        maxHeaderSize: HEADER_BYTES_LIMIT,
        highWaterMark: 1024 * 1024,
        optimizeEmptyRequests: true,
        shouldUpgradeCallback: asksForWebSocket,
      };
      const { tls } = options;
      const server =
        tls === undefined
          ? nodeHttp.createServer(limits)
          : createTlsServer({
              ...limits,
              cert: tls.certificate,
              key: tls.key,
              minVersion: 'TLSv1.2',
              // A client without a certificate is accepted. Authorization decides elsewhere what it may do.
              ...(tls.clientAuthorities === undefined
                ? {}
                : { ca: tls.clientAuthorities, requestCert: true, rejectUnauthorized: false }),
            });
      limitRequests(server);
      const plain =
        tls === undefined
          ? new PlainConnections(server, {
              handler,
              log,
              held,
              stalledMs,
              firstMs: HEADERS_TIMEOUT_MS,
              idleMs: IDLE_TIMEOUT_MS,
            })
          : undefined;
      const answering = { handler, log, held, stalledMs, bodyTimes };
      server.on('request', (incoming, outgoing) => void answer(incoming, outgoing, answering));
      const webSockets = new WebSockets();
      webSockets.serve(server, (incoming, outgoing, accept) =>
        answer(incoming, outgoing, { ...answering, accept }),
      );
      await listen(server, options.port, options.address);
      return new NodeHttpServer(server, { webSockets, plain });
    },
  };
}

function listen(server: Server, port: number, address: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => void listenError(port, cause).then(reject));
    server.listen({ port, backlog: BACKLOG, ...(address === undefined ? {} : { host: address }) }, () =>
      resolve(),
    );
  });
}

async function listenError(port: number, cause: NodeJS.ErrnoException): Promise<PlatformError> {
  if (cause.code === 'EADDRINUSE') {
    const holder = await holderOf('tcp', port);
    return new PlatformError('address-in-use', `TCP port ${port} is in use${holder}`, {
      cause,
      port: { protocol: 'tcp', number: port, hasHolder: holder !== '' },
    });
  }
  const code = cause.code === 'EACCES' ? 'permission-denied' : 'unavailable';
  return new PlatformError(code, `cannot listen on TCP port ${port}: ${cause.message}`, {
    cause,
    port: { protocol: 'tcp', number: port },
  });
}

interface Answering {
  readonly handler: HttpHandler;
  readonly log: Log;
  readonly held: HeldBytes;
  readonly stalledMs: number | undefined;
  readonly bodyTimes: BodyTimes | undefined;
  /** Makes the connection a WebSocket, where the client asks for one. */
  readonly accept?: (response: WebSocketResponse) => Promise<void>;
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { handler, log, held, stalledMs, bodyTimes, accept }: Answering,
): Promise<void> {
  // A stream that is destroyed has none.
  const { socket } = incoming;
  const expectLongBody = limitBodyTime(incoming, outgoing, bodyTimes);
  // A pipelined request runs after the earlier ones are answered, so that one packet of requests does not
  // cause a burst of work.
  if (outgoing.socket === null && !(await hasTurn(incoming, outgoing))) return;
  const pause = turnShare.enter();
  if (pause !== undefined) await pause;
  const request = new NodeHttpRequest(incoming, outgoing, expectLongBody);
  try {
    const response = request.isUnderstood
      ? await handler(request, new NodeHttpContext(request, incoming))
      : badRequest();
    if (accept !== undefined && response instanceof WebSocketResponse) return await accept(response);
    await sendResponse(response, outgoing, { incoming, held, stalledMs });
  } catch (thrown) {
    if (!outgoing.closed && !socket.destroyed)
      reportFailure(log, thrown, { method: incoming.method, path: incoming.url });
    if (outgoing.headersSent) return void outgoing.destroy();
    const { status, headerRecord, whole } = internalError();
    outgoing.writeHead(status, headerRecord).end(whole);
  }
}

class NodeHttpContext implements HttpContext {
  readonly peer: HttpContext['peer'];
  readonly #request: NodeHttpRequest;
  readonly #socket: IncomingMessage['socket'];

  constructor(request: NodeHttpRequest, { socket }: IncomingMessage) {
    this.peer = { address: plainAddress(socket.remoteAddress), port: socket.remotePort ?? 0 };
    this.#request = request;
    this.#socket = socket;
  }

  get localAddress(): string {
    return plainAddress(this.#socket.localAddress);
  }

  get clientCertificate(): ClientCertificate | undefined {
    return this.#socket instanceof TLSSocket ? clientCertificateOf(this.#socket) : undefined;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** The connections that Node's server does not know. */
interface OwnConnections {
  readonly webSockets: WebSockets;
  readonly plain: PlainConnections | undefined;
}

class NodeHttpServer implements HttpServer {
  readonly local: { address: string; port: number };
  readonly #server: Server;
  readonly #webSockets: WebSockets;
  readonly #plain: PlainConnections | undefined;

  constructor(server: Server, { webSockets, plain }: OwnConnections) {
    this.#server = server;
    this.#webSockets = webSockets;
    this.#plain = plain;
    const local = server.address();
    if (local === null || typeof local === 'string')
      throw new Error('the HTTP server does not listen on a port');
    this.local = { address: local.address, port: local.port };
  }

  close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    return new Promise((resolve) => {
      const closeIdle = (): void => {
        this.#server.closeIdleConnections();
        this.#plain?.closeIdle();
      };
      // A keep-alive connection is idle only after its response has ended, which may be later than this.
      const sweep = setInterval(closeIdle, CLOSE_SWEEP_MS);
      const force = setTimeout(() => {
        this.#server.closeAllConnections();
        this.#plain?.closeAll();
      }, graceMs);
      this.#server.close(() => {
        clearInterval(sweep);
        clearTimeout(force);
        resolve();
      });
      closeIdle();
      this.#webSockets.closeAll();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
