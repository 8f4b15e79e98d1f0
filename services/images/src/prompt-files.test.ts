import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileInfo } from '@tinkerbell/platform-contract';
import { LOOK_MS_MAX, promptFiles } from './prompt-files.ts';

const info: FileInfo = { sizeBytes: 1, modifiedMs: 1, isFile: true, isDirectory: false, realPath: 'a' };

/** A directory that hangs until the test restores it, and a clock that the test moves. */
function away() {
  const back = Promise.withResolvers<FileInfo>();
  let looks = 0;
  const tasks = new Set<() => void>();
  const schedule = (delayMs: number, task: () => void) => {
    assert.equal(delayMs, LOOK_MS_MAX);
    tasks.add(task);
    return () => void tasks.delete(task);
  };
  const files = promptFiles(
    { stat: () => ((looks += 1), back.promise), readRange: async () => undefined },
    { schedule },
  );
  return {
    files,
    looks: () => looks,
    comeBack: () => back.resolve(info),
    timers: () => tasks.size,
    passTime: () => {
      for (const task of tasks) task();
    },
  };
}

const unavailable = { name: 'PlatformError', code: 'unavailable' };

test('a hanging directory blocks two checks, waiting callers get an error, and later ones get it at once', async () => {
  const directory = away();
  const asked = Array.from({ length: 10 }, (_, index) => directory.files.stat('/', `${index}`));
  const told = Promise.all(asked.map((one) => assert.rejects(one, unavailable)));
  directory.passTime();
  await told;
  assert.equal(directory.looks(), 2);
  await assert.rejects(directory.files.stat('/', 'later'), unavailable);
  assert.equal(directory.looks(), 2);
});

test('a restored directory answers again, and cancelled checks do not run', async () => {
  const directory = away();
  const asked = Array.from({ length: 5 }, () => assert.rejects(directory.files.stat('/', 'a'), unavailable));
  directory.passTime();
  await Promise.all(asked);
  directory.comeBack();
  await new Promise(setImmediate);
  assert.equal(directory.looks(), 2);
  assert.deepEqual(await directory.files.stat('/', 'b'), info);
  assert.equal(directory.looks(), 3);
  await new Promise(setImmediate);
  assert.equal(directory.timers(), 0);
});

test('a working directory answers many simultaneous callers', async () => {
  const directory = away();
  directory.comeBack();
  const found = await Promise.all(Array.from({ length: 100 }, () => directory.files.stat('/', 'a')));
  assert.equal(found.length, 100);
});
