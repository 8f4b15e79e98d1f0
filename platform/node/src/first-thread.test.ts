import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
/** Prints the thread's policy and niceness at first, after it worked without a rest, after a rest, and while its event loop has no rest. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { setTimeout as pause } from 'node:timers/promises';
  import { runFirstUntilBusy } from ${module('./first-thread.ts')};
  import { runFirst } from ${module('./thread-priority.ts')};
  const POLICY = 38;
  const seen = () => [readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1].split(' ')[POLICY], getPriority()];
  runFirst();
  await runFirstUntilBusy();
  const first = seen();
  const until = performance.now() + 50;
  while (performance.now() < until);
  await pause(0);
  const busy = seen();
  await pause(200);
  const rested = seen();
  const turnsUntil = performance.now() + 100;
  await new Promise((end) => {
    const turn = () => (performance.now() < turnsUntil ? setImmediate(turn) : end());
    turn();
  });
  console.log(JSON.stringify([first, busy, rested, seen()]));
`;
const WORDS = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', PROGRAM];
const ROUND_ROBIN = '2';
const ORDINARY = '0';
const isRoot = process.getuid?.() === 0;
const skip = isRoot && existsSync('/proc/thread-self') ? false : 'needs root to raise a priority';

function seenAs(prefix: readonly string[]): unknown {
  const [command = '', ...words] = [...prefix, process.execPath, ...WORDS];
  return JSON.parse(execFileSync(command, words, { encoding: 'utf8' }));
}

test('a thread is first until it is busy, and again after a rest, with the same niceness', { skip }, () => {
  assert.deepEqual(seenAs([]), [
    [ROUND_ROBIN, -15],
    [ORDINARY, -15],
    [ROUND_ROBIN, -15],
    // Such turns stand for those of V8, which waits in them for its other threads.
    [ORDINARY, -15],
  ]);
});

const NOBODY = ['setpriv', '--reuid=65534', '--clear-groups', '--bounding-set=-all', '--inh-caps=-all'];

test('a thread that may not be first works without it', { skip }, () => {
  const ordinary = [ORDINARY, 0];
  assert.deepEqual(seenAs(['prlimit', '--nice=0', '--rtprio=0', ...NOBODY]), [
    ordinary,
    ordinary,
    ordinary,
    ordinary,
  ]);
});
