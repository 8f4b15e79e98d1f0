/** One gRPC server for all services on the agents' port. */
import { readFile } from 'node:fs/promises';
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

/** Returns the port it listens on. Rejects with a PlatformError. */
export async function bind(server: Server, config: ListenConfig): Promise<number> {
  const credentials = await credentialsOf(config);
  return new Promise((resolve, reject) => {
    server.bindAsync(`${config.address}:${config.port}`, credentials, (cause, port) => {
      if (cause === null) resolve(port);
      else reject(bindError(config, cause));
    });
  });
}

/** @grpc/grpc-js gives the code of the failure in its message only. */
function bindError(config: ListenConfig, cause: Error): PlatformError {
  const port = { protocol: 'tcp', number: config.port } as const;
  if (/EADDRINUSE/.test(cause.message))
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

/** Resolves when the last call has ended, or was cut off after a grace period. */
export function shutDown(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const force = clock.schedule(CLOSE_GRACE_MS, () => server.forceShutdown());
    server.tryShutdown(() => {
      force();
      resolve();
    });
  });
}
