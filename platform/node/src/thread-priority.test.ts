import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const skip = existsSync('/proc/thread-self') ? false : 'threads have no separate priority here';

test('one thread yields, and the others keep their priority', { skip }, async () => {
  const threads = (): number[] => readdirSync('/proc/self/task').map(Number);
  const own = getPriority();
  const module = new URL('./thread-priority.ts', import.meta.url).href;
  const worker = new Worker(
    `import(${JSON.stringify(module)}).then(({ yieldToOtherThreads }) => {
      yieldToOtherThreads();
      require('node:worker_threads').parentPort.on('message', () => {}).postMessage('ready');
    });`,
    { eval: true },
  );
  await once(worker, 'message');
  const priorities = threads().map((id) => getPriority(id));
  assert.equal(priorities.filter((one) => one === 10).length, own === 10 ? priorities.length : 1);
  assert.equal(getPriority(process.pid), own);
  await worker.terminate();
});
