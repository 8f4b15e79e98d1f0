import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from './free-port.ts';

test('no port is given twice, because a server may not listen on it yet', async () => {
  const ports = new Set<number>();
  for (let count = 0; count < 500; count += 1) ports.add(await freePort());
  assert.equal(ports.size, 500);
});
