import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mustRun, runProgram } from './run-program.ts';

const never = new AbortController().signal;

test('gives code and output', async () => {
  assert.deepEqual(await runProgram('sh', ['-c', 'echo out; exit 3'], { signal: never }), {
    code: 3,
    output: 'out\n',
  });
});

test('says what failed and what it wrote last', async () => {
  await assert.rejects(mustRun('sh', ['-c', 'echo no space >&2; exit 1'], { signal: never }), {
    name: 'ActionError',
    message: 'sh -c echo no space >&2; exit 1 ended with 1: no space',
  });
  await assert.rejects(mustRun('no-such-program', [], { signal: never }), /there is no such program/);
});

test('ends the program and its children when the signal aborts', async () => {
  const timeout = new AbortController();
  const log = { debug() {}, warn() {}, error() {}, info: () => timeout.abort(), child: () => log };
  const running = runProgram('sh', ['-c', 'echo started; sleep 600 & wait'], {
    signal: timeout.signal,
    log,
  });
  await assert.rejects(running, /stopped at the timeout/);
});
