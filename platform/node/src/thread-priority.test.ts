import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

test(
  'the main thread runs first, then those that collect garbage',
  { skip: isRoot() ? skip : 'needs root to raise a priority' },
  () => {
    const module = new URL('./thread-priority.ts', import.meta.url).href;
    const program = `
    import { readdirSync, readFileSync, promises } from 'node:fs';
    import { getPriority } from 'node:os';
    import { runBeforeOtherThreads } from ${JSON.stringify(module)};
    await promises.stat('/');
    const nameOf = (id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim();
    const others = () => readdirSync('/proc/self/task').filter((id) => Number(id) !== process.pid);
    // A thread has the name of the main thread until it runs for the first time.
    while (others().some((id) => nameOf(id) === nameOf(process.pid))) await promises.stat('/');
    runBeforeOtherThreads();
    const seen = {};
    for (const id of readdirSync('/proc/self/task')) seen[nameOf(id)] = getPriority(Number(id));
    console.log(JSON.stringify(seen));
  `;
    const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
    const prioritiesAt = (niceness: number) =>
      JSON.parse(
        execFileSync('nice', ['-n', String(niceness), process.execPath, ...words], { encoding: 'utf8' }),
      ) as Record<string, number>;
    const seen = prioritiesAt(-getPriority());
    const names = ['node-MainThread', 'node-V8Worker', 'libuv-worker'];
    assert.deepEqual(
      names.map((name) => seen[name]),
      [-10, -5, 0],
    );
    assert.equal(
      prioritiesAt(3 - getPriority())['node-MainThread'],
      3,
      'somebody has chosen another priority',
    );
  },
);

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
