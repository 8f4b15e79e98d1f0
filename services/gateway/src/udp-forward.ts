/**
 * A UDP port whose datagrams are forwarded. Each client, by address and port, has its own socket towards the upstream, so that
 * replies reach it. An upstream that replies from another port, as TFTP servers do (RFC 1350, section 4), is followed: the
 * client's later datagrams go to that port. Only the address of the endpoint may reply.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { PlatformError, type Clock } from '@tinkerbell/platform-contract';
import type { Endpoint, ForwardSettings } from './route-file.ts';
import type { Forward, ForwardMetrics } from './tcp-forward.ts';
import { UdpSessions } from './udp-sessions.ts';

const SWEEP_MS = 5000;
/** A TFTP client that uses windows sends little, but servers send bursts. */
const BUFFER_BYTES = 1024 * 1024;

interface Session {
  readonly socket: Socket;
  readonly address: string;
  port: number;
}

/** Rejects with a PlatformError when the port is unavailable. */
export async function openUdpForward(
  settings: ForwardSettings,
  { clock, metrics }: { readonly clock: Clock; readonly metrics: ForwardMetrics },
): Promise<Forward> {
  const endpoints = await Promise.all(settings.endpoints.map(resolved));
  const front = createSocket(isIPv6(settings.address) ? 'udp6' : 'udp4');
  await bind(front, settings);
  const sessions = new UdpSessions<Session>({ max: settings.sessionsMax, idleMs: settings.idleMs });
  let turn = 0;
  front.on('error', () => undefined);
  front.on('message', (bytes, client) => {
    const nowMs = clock.monotonicMs();
    const key = `${client.address} ${client.port}`;
    const known = sessions.use(key, nowMs);
    const session =
      known ??
      newSession(front, client, {
        endpoint: endpoints[turn++ % endpoints.length],
        used: () => sessions.use(key, clock.monotonicMs()),
      });
    if (session === undefined) return;
    if (known === undefined && !sessions.add(key, session, nowMs)) {
      metrics.forwardFailed.add({ forward: settings.name });
      session.socket.close();
      return;
    }
    metrics.forwarded.add({ forward: settings.name });
    session.socket.send(bytes, session.port, session.address);
  });
  const sweep = (): void => {
    for (const { socket } of sessions.expired(clock.monotonicMs())) socket.close();
    cancel = clock.schedule(SWEEP_MS, sweep);
  };
  let cancel = clock.schedule(SWEEP_MS, sweep);
  return {
    settings,
    port: front.address().port,
    async close() {
      cancel();
      for (const { socket } of sessions.clear()) socket.close();
      await new Promise<void>((resolve) => void front.close(resolve));
    },
  };
}

/** Calls `used` whenever the session is in use. */
function newSession(
  front: Socket,
  client: RemoteInfo,
  { endpoint, used }: { readonly endpoint: Endpoint | undefined; readonly used: () => void },
): Session | undefined {
  if (endpoint === undefined) return undefined;
  const socket = createSocket({
    type: isIPv6(endpoint.host) ? 'udp6' : 'udp4',
    recvBufferSize: BUFFER_BYTES,
  });
  const session: Session = { socket, address: endpoint.host, port: endpoint.port };
  socket.on('error', () => undefined);
  socket.on('message', (bytes, from) => {
    if (from.address !== session.address) return;
    session.port = from.port;
    used();
    front.send(bytes, client.port, client.address);
  });
  return session;
}

async function resolved({ host, port }: Endpoint): Promise<Endpoint> {
  const { address } = await lookup(host);
  return { host: address, port };
}

function bind(socket: Socket, { address, port }: ForwardSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      const code = cause.code === 'EADDRINUSE' ? 'address-in-use' : 'unavailable';
      reject(
        new PlatformError(code, `cannot listen on UDP port ${port} of ${address}: ${cause.message}`, {
          cause,
        }),
      );
    });
    socket.bind({ address, port, exclusive: true }, resolve);
  });
}
