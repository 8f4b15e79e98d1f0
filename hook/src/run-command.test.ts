import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { runCommand } from './run-command.ts';

test('returns what the program printed', async () => {
  assert.equal(await runCommand('sh', ['-c', 'echo one; echo two >&2']), 'one\n');
});

test('the error of a failed program has the command line and the end of its output', async () => {
  await assert.rejects(runCommand('sh', ['-c', 'echo broken >&2; exit 3']), /sh -c .* ended with 3:\nbroken/);
  await assert.rejects(runCommand('sh', ['-c', 'exit 127']), /ended with 127/);
});

test('names the Debian package of a program that is missing', async () => {
  await assert.rejects(
    runCommand('no-such-program', []),
    /no-such-program is not installed: run apt-get install/,
  );
});

test('a program ends with its parent, also when that is killed', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-command-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const script = 'echo $$ > pid.new; mv pid.new pid; exec sleep 60';
  const program = `
    import { runCommand } from ${JSON.stringify(import.meta.resolve('./run-command.ts'))};
    await runCommand('sh', ['-c', '${script}'], { directory: ${JSON.stringify(directory)} });`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  await until(() => existsSync(join(directory, 'pid')));
  const pid = Number(readFileSync(join(directory, 'pid'), 'utf8'));
  assert.ok(isRunning(pid));
  parent.kill('SIGKILL');
  await until(() => !isRunning(pid));
});

/** A process that has ended and was not waited for yet is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(10);
}
