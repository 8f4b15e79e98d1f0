/** A port for HTTP/1.1 and HTTP/2, with TLS or without. It passes requests to the request flow. */
import type { Server as Http1Server, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls, Server as TlsServer, type TLSSocket } from 'node:tls';
import { hasTurn, limitRequests } from '@tinkerbell/engine-http-connections';
import { PlatformError } from '@tinkerbell/platform-contract';
import { contextFor, type TlsMaterial } from './certificates.ts';
import { http1Exchange, type Exchange } from './exchange.ts';
import { Http2Listener } from './http2-listener.ts';
import { asksForWebSocket, webSocketExchange } from './web-socket-exchange.ts';
import type { ListenerSettings } from './route-file.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

/** Leaves room for a token of 16 KiB beside the other fields. A longer one gets an error response. */
const HEADER_BYTES_MAX = 32 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** The interval at which Node checks for clients beyond the time limits of headers. */
const CHECK_MS = 2000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 120_000;
const BACKLOG = 4096;
const PREFACE = 'PRI * HTTP/2.0';

export class HttpListener {
  readonly settings: ListenerSettings;
  readonly #onExchange: (exchange: Exchange) => void;
  readonly #onFault: (reason: string) => void;
  readonly #http1: Http1Server;
  readonly #http2: Http2Listener;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #material: TlsMaterial | undefined;

  constructor(
    settings: ListenerSettings,
    on: { readonly exchange: (exchange: Exchange) => void; readonly fault: (reason: string) => void },
  ) {
    this.settings = settings;
    this.#onExchange = on.exchange;
    this.#onFault = on.fault;
    this.#http1 = this.#newHttp1();
    this.#http2 = new Http2Listener(on, { fieldBytesMax: HEADER_BYTES_MAX, idleTimeoutMs: IDLE_TIMEOUT_MS });
  }

  /** Rejects with a PlatformError when the port is unavailable. */
  async open(material: TlsMaterial | undefined): Promise<void> {
    this.#material = material;
    const server = material === undefined ? this.#plain() : this.#tls(material);
    server.maxConnections = this.settings.connectionsMax;
    server.on('connection', (socket: Socket) => this.#track(socket));
    const { address: host, port } = this.settings;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause: NodeJS.ErrnoException) => reject(portError(host, port, cause)));
      server.listen({ host, port, backlog: BACKLOG }, resolve);
    });
    this.#server = server;
    // Their own ports are never opened, and this call starts their timers for slow headers.
    this.#http1.emit('listening');
  }

  get port(): number {
    return this.#server === undefined ? 0 : portOf(this.#server);
  }

  /** Applies to new connections. Existing ones keep what they have. */
  renew(material: TlsMaterial): void {
    if (!(this.#server instanceof TlsServer) || material.version === this.#material?.version) return;
    this.#material = material;
    this.#server.setSecureContext({
      ...material.first,
      ca: material.clientCa,
      minVersion: material.minVersion,
    });
  }

  /** Stops accepting, and ends when active requests have ended, or after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#server === undefined) resolve();
      else this.#server.close(() => resolve());
    });
    this.#http2.leave();
    // Also closes idle connections, and starts no new request on the others.
    this.#http1.close();
    const cut = (): void => this.#sockets.forEach((socket) => socket.destroy());
    if (graceMs === 0) cut();
    const timer = setTimeout(cut, graceMs);
    await closed;
    clearTimeout(timer);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.setNoDelay(true);
  }

  #tls(material: TlsMaterial): TlsServer {
    const server = createTls({
      ...material.first,
      minVersion: material.minVersion,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      SNICallback: (name, done) => done(null, this.#material && contextFor(this.#material, name)),
      ...(material.clientCa === undefined
        ? {}
        : { requestCert: true, rejectUnauthorized: true, ca: material.clientCa }),
    });
    server.on('tlsClientError', () => this.#onFault('tls-handshake'));
    server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', () => undefined);
      if (socket.alpnProtocol === 'h2') this.#http2.accept(socket);
      else this.#http1.emit('connection', socket);
    });
    return server;
  }

  /** HTTP/2 without TLS begins with a preface that is not a valid HTTP/1.1 request. */
  #plain(): Server {
    return createTcp((socket) => {
      socket.setTimeout(HEADERS_TIMEOUT_MS, () => socket.destroy());
      let first = Buffer.alloc(0);
      const decide = (): void => {
        const more: unknown = socket.read();
        if (!(more instanceof Buffer)) return void socket.destroy();
        first = Buffer.concat([first, more]);
        const isHttp2 = beginsHttp2(first);
        // Too few bytes to decide: so far it may also be a POST.
        if (isHttp2 === undefined) return;
        socket.off('readable', decide);
        socket.setTimeout(0);
        socket.removeAllListeners('timeout');
        if (isHttp2) return this.#http2.accept(socket, first);
        socket.unshift(first);
        this.#http1.emit('connection', socket);
      };
      socket.on('readable', decide);
    });
  }

  #newHttp1(): Http1Server {
    const server = nodeHttp.createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        headersTimeout: HEADERS_TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_MS,
        // Bodies may be long. The request flow limits how slow they may be.
        requestTimeout: 0,
        keepAliveTimeout: IDLE_TIMEOUT_MS,
        joinDuplicateHeaders: true,
        // Other upgrades, such as h2c, are answered as if they had not been asked for.
        shouldUpgradeCallback: asksForWebSocket,
      },
      (incoming, outgoing) => void this.#answer(incoming, outgoing),
    );
    server.on('upgrade', (incoming, _, head) => this.#onExchange(webSocketExchange(incoming, head)));
    limitRequests(server, this.#onFault);
    return server;
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const isPipelined = outgoing.socket === null;
    if (!isPipelined || (await hasTurn(incoming, outgoing)))
      this.#onExchange(http1Exchange(incoming, outgoing));
  }
}

/** Undefined while it may still become either. */
function beginsHttp2(first: Buffer): boolean | undefined {
  const start = first.toString('latin1', 0, PREFACE.length);
  if (!PREFACE.startsWith(start)) return false;
  return start.length === PREFACE.length ? true : undefined;
}

/** The port that a server listens on; 0 when it does not. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export function portError(address: string, port: number, cause: NodeJS.ErrnoException): PlatformError {
  const at = `TCP port ${port} of ${address}`;
  if (cause.code === 'EADDRINUSE') return new PlatformError('address-in-use', `${at} is in use`, { cause });
  const code = cause.code === 'EACCES' ? 'permission-denied' : 'unavailable';
  return new PlatformError(code, `cannot listen on ${at}: ${cause.message}`, { cause });
}
