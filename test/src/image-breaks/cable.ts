/** The network between an agent and its server: TCP connections at a limited rate, which can end at any byte. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

const LOOPBACK = '127.0.0.1';
const BYTES_PER_MS = 32 * 1024;

export interface CableOptions {
  /** Of the server, and of this end as the server sees it (default: loopback). */
  readonly address?: string;
  /** From the server (default: 32 KiB). */
  readonly bytesPerMs?: number;
}

export interface Cable {
  readonly port: number;
  /** The server's port. It may change when the server starts again. */
  plug(port: number): void;
  /** Ends all connections, and refuses new ones for this time. */
  cut(forMs: number): void;
  /** Resolves with true after this many more bytes from the server, and with false when the signal aborts before. */
  afterBytes(count: number, over: AbortSignal): Promise<boolean>;
  /** From the server, since the start. */
  passedBytes(): number;
  close(): Promise<void>;
}

/** Its own port is on loopback. */
export async function openCable({
  address: serverAddress = LOOPBACK,
  bytesPerMs = BYTES_PER_MS,
}: CableOptions = {}): Promise<Cable> {
  let target = 0;
  let cutUntilMs = 0;
  let freeAtMs = 0;
  const counter = countBytes();
  const open = new Set<() => void>();
  /** All connections share the rate. */
  const slow = (from: Socket, bytes: number): void => {
    freeAtMs = Math.max(performance.now(), freeAtMs) + bytes / bytesPerMs;
    from.pause();
    setTimeout(() => from.resume(), Math.max(0, freeAtMs - performance.now()));
  };

  const server = createServer((client) => {
    if (performance.now() < cutUntilMs) return client.resetAndDestroy();
    const upstream = connect(target, serverAddress);
    const end = (): void => {
      open.delete(end);
      client.destroy();
      upstream.destroy();
    };
    open.add(end);
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      client.write(bytes);
      slow(upstream, bytes.length);
      counter.add(bytes.length);
    });
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  }).listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    plug(port) {
      target = port;
    },
    cut(forMs) {
      cutUntilMs = performance.now() + forMs;
      for (const end of open) end();
    },
    afterBytes: (bytes, over) => counter.after(bytes, over),
    passedBytes: () => counter.passed(),
    async close() {
      for (const end of open) end();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One caller at a time may wait. */
function countBytes() {
  let passed = 0;
  let wait: { readonly at: number; readonly resolve: (isReached: boolean) => void } | undefined;
  return {
    passed: () => passed,
    add(bytes: number): void {
      passed += bytes;
      if (wait === undefined || passed < wait.at) return;
      wait.resolve(true);
      wait = undefined;
    },
    after(bytes: number, over: AbortSignal): Promise<boolean> {
      return new Promise((resolve) => {
        if (over.aborted) return resolve(false);
        wait = { at: passed + bytes, resolve };
        over.addEventListener('abort', () => resolve(false), { once: true });
      });
    },
  };
}
