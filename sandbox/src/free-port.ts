import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to clients and to servers without a port (32768 and higher). One of those may be taken again before
 * the server that wants it listens: PostgreSQL did not start for that reason.
 */
const [FIRST, END] = [12_000, 32_000];

/** Whoever asked for a port may not listen on it yet. */
const given = new Set<number>();

/** Returns a TCP port of loopback on which nobody listens now, and another one each time. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
