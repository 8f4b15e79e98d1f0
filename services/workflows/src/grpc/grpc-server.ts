/** One gRPC server for all services on the agents' port. */
import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { DescService } from '@bufbuild/protobuf';
import {
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { PlatformError, type Clock } from '@tinkerbell/platform-contract';

/** One service of the server. It is created in its own folder and listed in `workflows-service.ts`. */
export interface RpcService {
  /** The name that reflection lists and health checks use. */
  readonly descriptor: DescService;
  /** Usually `serviceDefinition(descriptor)`. */
  readonly definition: ServiceDefinition;
  /** Handlers by the names of the definition, as `Calls` creates them. */
  readonly handlers: UntypedServiceImplementation;
}

export interface ListenConfig {
  readonly address: string;
  /** 0 lets the system choose a port. */
  readonly port: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
}

const CLOSE_GRACE_MS = 2000;
const KEEPALIVE_MS = 30_000;
const MESSAGE_BYTES_LIMIT = 4 * 1024 * 1024;
/**
 * The limit for one connection whose client reads nothing. The library's default is unlimited. A thousand agents behind a gateway
 * share one connection.
 */
const SESSION_MEGABYTES_MAX = 256;

export function grpcServer(services: readonly RpcService[]): Server {
  // The library writes to standard error by itself. Relevant events are logged here.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.max_receive_message_length': MESSAGE_BYTES_LIMIT,
    'grpc-node.max_session_memory': SESSION_MEGABYTES_MAX,
  });
  for (const { definition, handlers } of services) server.addService(definition, handlers);
  return server;
}

/** The port of the server. It knows every connection, which the library does not tell. */
export interface Listener {
  readonly port: number;
  /** Refuses new connections. Resolves when the last open one has ended. */
  close(): Promise<void>;
  /** Ends each open connection at once. The client gets a reset, if it still gets anything. */
  resetConnections(): void;
}

/** Rejects with a PlatformError. */
export async function bind(server: Server, config: ListenConfig): Promise<Listener> {
  const injector = server.createConnectionInjector(await credentialsOf(config));
  const open = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    injector.injectConnection(socket);
  });
  return new Promise((resolve, reject) => {
    listener.once('error', (cause) => reject(bindError(config, cause)));
    listener.listen({ host: config.address, port: config.port }, () => {
      const bound = listener.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : config.port;
      const resetConnections = () => open.forEach((socket) => socket.resetAndDestroy());
      const close = () => new Promise<void>((done) => listener.close(() => done()));
      resolve({ port, close, resetConnections });
    });
  });
}

function bindError(config: ListenConfig, cause: NodeJS.ErrnoException): PlatformError {
  const port = { protocol: 'tcp', number: config.port } as const;
  if (cause.code === 'EADDRINUSE')
    return new PlatformError('address-in-use', `TCP port ${config.port} is in use`, { cause, port });
  return new PlatformError('unavailable', `cannot listen on ${config.address}:${config.port}`, {
    cause,
    port,
  });
}

async function credentialsOf(config: ListenConfig): Promise<ServerCredentials> {
  if (config.tls === undefined) return ServerCredentials.createInsecure();
  const [certificate, key] = await Promise.all([readFile(config.tls.certFile), readFile(config.tls.keyFile)]);
  return ServerCredentials.createSsl(null, [{ cert_chain: certificate, private_key: key }]);
}

/**
 * Resolves when the last connection has ended, or was reset after a grace period: the kernel would wait for minutes until a machine
 * without power confirms an orderly end.
 */
export async function shutDown(server: Server, listener: Listener, clock: Clock): Promise<void> {
  const closed = listener.close();
  // It ends the sessions when their calls have ended. It does not know when that is, as it does not listen itself.
  server.tryShutdown(() => undefined);
  const force = clock.schedule(CLOSE_GRACE_MS, () => {
    server.forceShutdown();
    listener.resetConnections();
  });
  await closed;
  force();
}
