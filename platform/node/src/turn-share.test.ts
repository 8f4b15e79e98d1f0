/** Tests many simultaneous requests, spread over turns. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { createNodeHttp } from './http.ts';
import { createNodeLog } from './log.ts';
import { TurnShare } from './turn-share.ts';

/** A clock that advances only when work takes time. */
function fakeTurns() {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const share = new TurnShare({
    nowMs: () => nowMs,
    nextTurn: (callback) => void turns.push(callback),
    afterOthers: (callback) => queueMicrotask(() => queueMicrotask(callback)),
  });
  return {
    share,
    work: (ms: number) => void (nowMs += ms),
    turn: async () => {
      for (const callback of turns.splice(0)) callback();
      for (let settled = 0; settled < 100; settled += 1) await Promise.resolve();
    },
    waits: () => turns.length > 0,
  };
}

test('work begins at once until the share of a turn is used, and then first come, first served', async () => {
  const { share, work, turn, waits } = fakeTurns();
  const done: number[] = [];
  const begin = async (id: number): Promise<void> => {
    const pause = share.enter();
    if (pause !== undefined) await pause;
    done.push(id);
    work(1);
  };
  for (let id = 0; id < 5; id += 1) void begin(id);
  assert.deepEqual(done, [0, 1]);
  await turn();
  assert.deepEqual(done, [0, 1, 2, 3]);
  void begin(5);
  assert.equal(done.length, 4, 'later work does not overtake');
  await turn();
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5]);
  await turn();
  assert.equal(waits(), false, 'schedules nothing while nothing happens');
});

const CLIENTS = 200;
const WORK_MS = 1;

/**
 * Runs in another process. It connects all clients, sends all requests on command, and prints how many were
 * answered.
 */
const clients = `
  const { connect } = require('node:net');
  const port = Number(process.argv[1]);
  let open = 0, answered = 0;
  const sockets = Array.from({ length: ${CLIENTS} }, () => connect(port, '127.0.0.1', () => {
    if (++open === ${CLIENTS}) process.stdout.write('open');
  }));
  process.stdin.once('data', () => {
    for (const socket of sockets) {
      socket.write('GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n');
      socket.once('data', (data) => { if (String(data).includes(' 200 ')) answered++; });
      socket.once('close', () => { if (--open === 0) process.stdout.end(' ' + answered); });
    }
    process.stdin.destroy();
  });`;

function worked(): void {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > WORK_MS * 1000) return;
  }
}

test('two hundred simultaneous requests are spread over turns of the event loop', async () => {
  let inTurn = 0;
  let most = 0;
  const http = createNodeHttp(createNodeLog({ level: 'silent', format: 'json' }));
  await using server = await http.listen({ port: 0, address: '127.0.0.1' }, async () => {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += 1;
    most = Math.max(most, inTurn);
    worked();
    return new Response('done');
  });
  const child = spawn(process.execPath, ['-e', clients, String(server.local.port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  await once(child.stdout, 'data');
  child.stdin.write('go');
  // Lets the kernel collect them, so that they all arrive in one turn.
  await new Promise((resolve) => setImmediate(resolve));
  spawnSync('sleep', ['0.5']);
  await once(child, 'close');
  assert.equal(said, `open ${CLIENTS}`);
  assert.ok(most < CLIENTS / 10, `${most} requests were handled in one turn`);
});
