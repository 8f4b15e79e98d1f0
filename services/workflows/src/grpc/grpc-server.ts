/** One gRPC server for all services on the agents' port. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import { http2Options } from '@tinkerbell/engine-http-connections';
import { PlatformError, type Clock } from '@tinkerbell/platform-contract';
import { GrpcConnection, type GrpcConnectionDeps, type ServedMethod } from './grpc-connection.ts';
import type { CallHandler, CallMethod } from './server-call.ts';

/** One service of the server. It is created in its own folder and listed in `workflows-service.ts`. */
export interface RpcService {
  /** The name that reflection lists and health checks use. */
  readonly descriptor: DescService;
  /** Usually `serviceDefinition(descriptor)`. */
  readonly definition: Readonly<Record<string, CallMethod>>;
  /** Handlers by the names of the definition, as `Calls` creates them. */
  readonly handlers: Readonly<Record<string, CallHandler<unknown, unknown>>>;
}

export interface ListenConfig {
  readonly address: string;
  /** 0 lets the system choose a port. */
  readonly port: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
}

const CLOSE_GRACE_MS = 2000;
const WATCH_MS = 5000;

export class GrpcServer {
  readonly #deps: GrpcConnectionDeps;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<GrpcConnection>();
  #listener: Server | undefined;
  #cancelWatch: (() => void) | undefined;

  constructor(services: readonly RpcService[], clock: Clock) {
    const http2 = http2Options({}, () => clock.monotonicMs());
    this.#deps = { clock, methods: methodsOf(services), http2 };
  }

  /** Resolves with the port. Rejects with a PlatformError. */
  async listen(config: ListenConfig): Promise<number> {
    const accept = await this.#acceptor(config);
    const listener = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      accept(socket);
    });
    this.#listener = listener;
    return new Promise((resolve, reject) => {
      listener.once('error', (cause) => reject(listenError(config, cause)));
      listener.listen({ host: config.address, port: config.port }, () => {
        this.#watch();
        const bound = listener.address();
        resolve(typeof bound === 'object' && bound !== null ? bound.port : config.port);
      });
    });
  }

  /**
   * Refuses new connections and calls. Resolves when the last connection has ended, or was reset after a grace period: the kernel
   * would wait for minutes until a machine without power confirms an orderly end.
   */
  async shutDown(): Promise<void> {
    const closed = new Promise<void>((done) => this.#listener?.close(() => done()));
    for (const connection of this.#connections) connection.leave();
    const force = this.#deps.clock.schedule(CLOSE_GRACE_MS, () => {
      for (const socket of this.#sockets) socket.resetAndDestroy();
    });
    await closed;
    force();
    this.#cancelWatch?.();
  }

  async #acceptor({ tls }: ListenConfig): Promise<(socket: Socket) => void> {
    if (tls === undefined) return (socket) => this.#serve(socket);
    const [cert, key] = await Promise.all([readFile(tls.certFile), readFile(tls.keyFile)]);
    const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => this.#serve(socket));
    // A client that breaks off its handshake.
    server.on('tlsClientError', () => undefined);
    return (socket) => server.emit('connection', socket);
  }

  #serve(socket: Socket): void {
    const connection = new GrpcConnection(socket, this.#deps);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }

  /** One timer for all, because a timer for each would be set again with each message. */
  #watch(): void {
    this.#cancelWatch = this.#deps.clock.schedule(WATCH_MS, () => {
      for (const connection of this.#connections) connection.watch();
      this.#watch();
    });
  }
}

function methodsOf(services: readonly RpcService[]): ReadonlyMap<string, ServedMethod> {
  const methods = new Map<string, ServedMethod>();
  for (const { definition, handlers } of services)
    for (const [name, method] of Object.entries(definition)) {
      const handler = handlers[name];
      if (handler !== undefined) methods.set(method.path, { method, handler });
    }
  return methods;
}

function listenError(config: ListenConfig, cause: NodeJS.ErrnoException): PlatformError {
  const port = { protocol: 'tcp', number: config.port } as const;
  if (cause.code === 'EADDRINUSE')
    return new PlatformError('address-in-use', `TCP port ${config.port} is in use`, { cause, port });
  return new PlatformError('unavailable', `cannot listen on ${config.address}:${config.port}`, {
    cause,
    port,
  });
}
