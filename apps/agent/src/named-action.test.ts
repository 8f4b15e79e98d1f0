import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { defineAction, ActionError, readEnvironment, type Action } from '@tinkerbell/action-kit';
import { nodeClock } from '@tinkerbell/platform-node';

import { progressLine, runNamedAction } from './named-action.ts';

const MAIN = fileURLToPath(new URL('./action-main.ts', import.meta.url));

async function run(
  action: Action,
  environment: Record<string, string> = {},
): Promise<{ code: number; out: string[]; errors: string[] }> {
  const [out, errors]: [string[], string[]] = [[], []];
  const code = await runNamedAction(
    { action, command: ['a', 'b'], environment },
    {
      clock: nodeClock,
      signal: new AbortController().signal,
      out: (line) => void out.push(line),
      error: (line) => void errors.push(line),
    },
  );
  return { code, out, errors };
}

test('output and progress are lines, and a success is 0', async () => {
  const action = defineAction('any', async (environment, context) => {
    const { command, log } = context;
    log.child({ part: 1 }).info('started', { disk: '/dev/a' });
    log.warn('careful');
    context.progress({ message: 'writing', doneBytes: 5e6, totalBytes: 20e6 });
    return { message: `${environment['NAME']} ${command.join('+')}` };
  });
  assert.deepEqual(await run(action, { NAME: 'x' }), {
    code: 0,
    out: ['started part=1 disk="/dev/a"', 'writing: 25 % (5 of 20 MB)', 'x a+b'],
    errors: ['careful'],
  });
  assert.equal(progressLine({ message: 'a', doneBytes: 1e6 }), 'a: 1 MB');
  assert.equal(progressLine({ message: 'a' }), 'a');
});

/** Upstream's exit codes: name, what fails, code. */
for (const [name, failure, expected] of [
  ['image2disk', 'settings', 1],
  ['image2disk', 'work', 1],
  ['cexec', 'settings', 20],
  ['cexec', 'work', 30],
] as const)
  test(`${name} with wrong ${failure} ends with ${expected}`, async () => {
    const action = defineAction(name, async (environment) => {
      const read = readEnvironment(name, environment);
      if (failure === 'settings') read.required('DEST_DISK', 'a disk');
      read.finish();
      throw new ActionError('the disk is full');
    });
    const { code, errors } = await run(action);
    assert.equal(code, expected);
    assert.match(errors.join(), failure === 'work' ? /^the disk is full$/ : /DEST_DISK is missing/);
  });

test('the program takes its variables from the environment', () => {
  const ran = (name: string, ...command: string[]) =>
    spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, name, ...command], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DEST_DISK: '/dev/absent', FS_TYPE: 'ext4' },
    });
  const version = ran('rootio', 'version');
  assert.deepEqual([version.status, version.stderr], [0, '']);
  assert.match(version.stdout, /^rootio, /);
  const write = ran('writefile');
  assert.equal(write.status, 1);
  assert.match(write.stderr, /^writefile: DEST_PATH is missing/);
  assert.doesNotMatch(write.stderr, /DEST_DISK/);
  assert.match(ran('unknown').stderr, /the image unknown is not built in/);
});
