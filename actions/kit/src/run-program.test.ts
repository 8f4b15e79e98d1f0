import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mustRun, runProgram } from './run-program.ts';

const never = new AbortController().signal;

test('returns code and output', async () => {
  assert.deepEqual(await runProgram('sh', ['-c', 'echo out; exit 3'], { signal: never }), {
    code: 3,
    output: 'out\n',
  });
});

test('reports what failed and its last output', async () => {
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

/** A limit that only ends tests that hang. */
const HANGS = { timeout: 120_000 };

test('ends a program that ignores SIGTERM', HANGS, async () => {
  const timeout = new AbortController();
  const log = { debug() {}, warn() {}, error() {}, info: () => timeout.abort(), child: () => log };
  const stubborn = runProgram('sh', ['-c', 'trap "" TERM; echo started; while :; do sleep 1; done'], {
    signal: timeout.signal,
    log,
  });
  await assert.rejects(stubborn, /stopped at the timeout/);
});

test('does not wait for processes that the program leaves behind', HANGS, async (context) => {
  // Runs in its own session, with the output of the program that started it.
  const { code, output } = await runProgram('sh', ['-c', 'setsid sleep 600 & echo $!; exit 0'], {
    signal: never,
  });
  context.after(() => process.kill(Number(output.trim()), 'SIGKILL'));
  assert.equal(code, 0);
});

test('does not wait for such processes when the signal aborts', HANGS, async (context) => {
  const timeout = new AbortController();
  let left = 0;
  const started = (line: string): void => {
    left = Number(line);
    timeout.abort();
  };
  const log = { debug() {}, warn() {}, error() {}, info: started, child: () => log };
  const running = runProgram('sh', ['-c', 'setsid sleep 600 & echo $!; wait'], {
    signal: timeout.signal,
    log,
  });
  await assert.rejects(running, /stopped at the timeout/);
  context.after(() => process.kill(left, 'SIGKILL'));
});
