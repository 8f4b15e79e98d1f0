/** Completion in bash, and the required help of every command. */
import { guarded } from '../output/terminal.ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { createProgram } from '../run.ts';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, terminal } = createCommandRunner(() => server);
const run = promisify(execFile);

const checkout = join(import.meta.dirname, '../../../..');

/** Runs a bash script with the checkout's `tink` on the PATH; interactive, because otherwise bash expands no aliases. */
async function inBash(script: string, words: readonly string[]): Promise<readonly string[]> {
  const env = {
    ...process.env,
    PATH: `${checkout}/bin:${process.env['PATH']}`,
    TINK_SERVER: server.url,
    TINKERBELL_DATA_DIR: `${server.folder}/data`,
    TINK_CONFIG: join(server.folder, 'none.yaml'),
  };
  const { stdout } = await run('bash', ['--norc', '-O', 'expand_aliases', '-c', script, 'bash', ...words], {
    env,
  });
  return stdout.split('\n').filter((line) => line !== '');
}

/** Calls the completion of the first word, like a Tab does. The last word is being typed. */
const tab = `
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf "%s\\n" "\${COMPREPLY[@]}"`;

/** Returns what bash offers after these words of `tink`. */
function offered(...words: readonly string[]): Promise<readonly string[]> {
  return inBash(`source <(tink completion bash)${tab}`, ['tink', ...words]);
}

test('bash completes commands, options, kinds and names of the server', async () => {
  await done('apply -f - -n c', {
    input: `${hardware('rack7-m1', '08:00:27:00:00:01')}---\n${hardware('rack7-m2', '08:00:27:00:00:02')}`,
  });
  assert.deepEqual(await offered('anno'), ['annotate']);
  assert.deepEqual(await offered('get', 'hard'), ['hardware']);
  assert.deepEqual(await offered('-n', 'c', 'get', 'hw', 'rack7-'), ['rack7-m1', 'rack7-m2']);
  assert.deepEqual(await offered('describe', '-n', 'c', 'hw/rack7-m2'), ['hw/rack7-m2']);
  assert.deepEqual(await offered('get', '--show'), ['--show-labels']);
  assert.deepEqual(await offered('config', 'use'), ['use-context']);
});

test('bash completes aliases including their arguments', async () => {
  await done('apply -f - -n c', { input: hardware('rack7-m1', '08:00:27:00:00:01') });
  const withAlias = (alias: string, ...words: readonly string[]) =>
    inBash(`alias ${alias}\nsource <(tink completion bash)${tab}`, words);
  assert.deepEqual(await withAlias("t='tink -n c'", 't', 'get', 'hw', ''), ['rack7-m1']);
  assert.deepEqual(await withAlias(`tink='${checkout}/bin/tink'`, 'tink', 'anno'), ['annotate']);
  assert.deepEqual(await withAlias(`k='${checkout}/bin/tink'`, 'k', 'anno'), ['annotate']);
  const other = `alias work='cd tink'\nsource <(tink completion bash)\ncomplete -p work || echo none`;
  assert.deepEqual(await inBash(other, []), ['none']);
});

test('typed text is never executed', async () => {
  const trap = join(server.folder, 'ran');
  for (const word of [`$(touch ${trap})`, `\`touch ${trap}\``, `; touch ${trap}`, `' ; touch ${trap} '`])
    await inBash(`alias t='tink'\nsource <(tink completion bash)${tab}`, ['t', 'get', word]);
  assert.equal(existsSync(trap), false);
});

test('every command has an example, and every option has a description', async () => {
  const leaves = (
    command: Command,
    path: readonly string[],
  ): readonly { command: Command; path: readonly string[] }[] =>
    command.commands.length === 0
      ? [{ command, path }]
      : command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
  const all = leaves(createProgram(guarded(terminal())), []).filter(
    ({ path }) => !['help', '__complete'].includes(path[0] ?? ''),
  );
  assert.ok(all.length > 40);
  for (const { command, path } of all) {
    assert.match(await done(`${path.join(' ')} --help`), /Examples:\n {2}/, path.join(' '));
    assert.notEqual(command.description(), '', path.join(' '));
    for (const { flags, description } of command.options)
      assert.notEqual(description, '', `${path.join(' ')} ${flags}`);
  }
});
