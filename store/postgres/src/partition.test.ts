/**
 * Tests a network that accepts packets and gives no answers, which is neither a lost connection nor a slow
 * statement.
 */
import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { PlatformError, type Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { startPostgres, type Postgres } from '@tinkerbell/sandbox/postgres';
import { openDatabase } from './database.ts';
import { openPostgresStore } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

/** Forwards bytes until the test stops it, without closing anything. */
async function network(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isParted = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (isParted || to.write(bytes)));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    part: () => (isParted = true),
    heal() {
      isParted = false;
      // The swallowed bytes are not sent again, so the ends of these connections would wait for ever.
      for (const socket of sockets) socket.destroy();
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const isPartition = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'unavailable' && /does not answer/.test(error.message);

test('reads through a partitioned network fail early, also on new connections, and work again afterwards', async () => {
  using wire = await network(await postgres.database('parted'));
  await using store = await openPostgresStore({ url: wire.url, clock: nodeClock, log });
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: 'a' };
  assert.equal(await store.get(key), undefined);
  wire.part();
  const reads = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0 ? store.get(key) : store.list({ collection: key.collection }),
  );
  for (const read of await Promise.allSettled(reads))
    assert.ok(read.status === 'rejected' && isPartition(read.reason), String(Object.values(read)[1]));
  wire.heal();
  assert.equal(await store.get(key), undefined);
});

test('waits for a slow statement of a database that answers', async () => {
  using wire = await network(await postgres.database('slow'));
  const database = await openDatabase({ url: wire.url, clock: nodeClock, log, connectionsMax: 1 });
  const [row] = await database.read('select 1 as one from pg_sleep(2.5)');
  assert.equal(row?.['one'], 1);
  await database.close();
});
