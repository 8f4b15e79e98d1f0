/** A TCP port whose connections are forwarded. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { GatewayMetrics } from './metrics.ts';
import { portError, portOf } from './http-listener.ts';
import { proxyHeader } from './proxy-protocol.ts';
import type { Endpoint, ForwardSettings } from './route-file.ts';

const CONNECT_TIMEOUT_MS = 5000;

export type ForwardMetrics = Pick<GatewayMetrics, 'forwarded' | 'forwardFailed'>;

export interface Forward {
  readonly settings: ForwardSettings;
  readonly port: number;
  /** Stops accepting, and ends at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Rejects with a PlatformError when the port is unavailable. */
export async function openTcpForward(settings: ForwardSettings, metrics: ForwardMetrics): Promise<Forward> {
  const sockets = new Set<Socket>();
  let turn = 0;
  // Half-open: a client that has sent everything may still get a response.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    metrics.forwarded.add({ forward: settings.name });
    const { endpoints } = settings;
    const start = turn++ % endpoints.length;
    connectOne(client, [...endpoints.slice(start), ...endpoints.slice(0, start)], { settings, metrics });
  });
  server.maxConnections = settings.sessionsMax;
  await listen(server, settings);
  return {
    settings,
    port: portOf(server),
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      const cut = (): void => sockets.forEach((socket) => socket.destroy());
      if (graceMs === 0) cut();
      const timer = setTimeout(cut, graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

function listen(server: Server, { address: host, port }: ForwardSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(portError(host, port, cause)));
    server.listen({ host, port }, resolve);
  });
}

/** Uses the first endpoint that accepts the connection. Nothing of the client was read before that. */
function connectOne(
  client: Socket,
  [endpoint, ...others]: readonly Endpoint[],
  forwarding: { readonly settings: ForwardSettings; readonly metrics: ForwardMetrics },
): void {
  const { settings, metrics } = forwarding;
  if (endpoint === undefined || client.destroyed) {
    metrics.forwardFailed.add({ forward: settings.name });
    client.destroy();
    return;
  }
  const upstream = connect({ ...endpoint, allowHalfOpen: true, noDelay: true });
  const next = (): void => {
    upstream.destroy();
    connectOne(client, others, forwarding);
  };
  upstream.once('error', next);
  upstream.setTimeout(CONNECT_TIMEOUT_MS, next);
  upstream.once('connect', () => {
    upstream.off('error', next);
    join(client, upstream, settings);
  });
}

function join(client: Socket, upstream: Socket, { idleMs, proxyProtocol }: ForwardSettings): void {
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  upstream.removeAllListeners('timeout');
  for (const socket of [client, upstream]) {
    socket.setTimeout(idleMs, end);
    socket.on('error', end);
    socket.once('close', end);
  }
  if (proxyProtocol && client.remoteAddress !== undefined && client.localAddress !== undefined)
    upstream.write(
      proxyHeader({
        client: { address: plain(client.remoteAddress), port: client.remotePort ?? 0 },
        server: { address: plain(client.localAddress), port: client.localPort ?? 0 },
      }),
    );
  client.pipe(upstream);
  upstream.pipe(client);
}

function plain(address: string): string {
  return address.replace(/^::ffff:/, '');
}
