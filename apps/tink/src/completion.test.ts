/** Completion as bash does it, and help that every command must have. */
import { guarded } from './terminal.ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { createProgram } from './run.ts';
import { createCommandRunner } from './testdata/command-runner.ts';
import { hardware } from './testdata/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from './testdata/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, terminal } = createCommandRunner(() => server);
const run = promisify(execFile);

/** What bash offers after these words; the last one is being typed. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const path = join(server.folder, 'tink');
  writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${join(import.meta.dirname, 'main.ts')} "$@"\n`);
  chmodSync(path, 0o755);
  const script =
    'source <(tink completion bash); COMP_WORDS=(tink "$@"); COMP_CWORD=$#; _tink; printf "%s\\n" "${COMPREPLY[@]}"';
  const env = {
    ...process.env,
    PATH: `${server.folder}:${process.env['PATH']}`,
    TINK_SERVER: server.url,
    TINKERBELL_DATA_DIR: `${server.folder}/data`,
    TINK_CONFIG: join(server.folder, 'none.yaml'),
  };
  const { stdout } = await run('bash', ['-c', script, 'bash', ...words], { env });
  return stdout.split('\n').filter((line) => line !== '');
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

test('every command has an example, and every option says what it does', async () => {
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
