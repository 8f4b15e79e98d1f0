import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { nodeClock } from '@tinkerbell/platform-node';
import { SlowClients } from './slow-clients.ts';

test('a client that sends nothing between two checks is cut off', async () => {
  const clients = new SlowClients(nodeClock);
  let cuts = 0;
  clients.watchUpload(
    new PassThrough().resume(),
    () => 0,
    () => (cuts += 1),
  );
  await clients.sweep();
  assert.equal(cuts, 0);
  await clients.sweep();
  assert.equal(cuts, 1);
  await clients.sweep();
  assert.equal(cuts, 1, 'once');
});

test('a stream that has ended is no longer checked, also when its client had gone before', async () => {
  const clients = new SlowClients(nodeClock);
  let cuts = 0;
  const lost = new PassThrough();
  lost.destroy();
  await new Promise((resolve) => lost.once('close', resolve));
  clients.watchUpload(
    lost,
    () => 0,
    () => (cuts += 1),
  );
  const ended = new PassThrough().resume();
  clients.watchUpload(
    ended,
    () => 0,
    () => (cuts += 1),
  );
  ended.end();
  await new Promise((resolve) => ended.once('close', resolve));
  for (let sweep = 0; sweep < 3; sweep += 1) await clients.sweep();
  assert.equal(cuts, 0);
});
