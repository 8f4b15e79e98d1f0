import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../run.ts';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware, template } from '../testing/manifests.ts';
import { guarded } from '../output/terminal.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());
const { done, terminal, tink } = createCommandRunner(() => server);

function commandsOf(command: Command): readonly Command[] {
  return command.commands.flatMap((one) => [one, ...commandsOf(one)]);
}

test('every command with --json has -o json, and vice versa', () => {
  for (const { options, ...command } of commandsOf(createProgram(guarded(terminal())))) {
    const names = options.map(({ long }) => long);
    assert.equal(
      names.includes('--json'),
      names.includes('--output'),
      Reflect.get(command, '_name') as string,
    );
  }
});

test('both spellings print the same', async () => {
  await done('apply -f -', { input: `${hardware('m1', '08:00:27:00:00:01')}---\n${template('t')}` });
  for (const words of [
    'get hardware',
    'tree hardware/m1',
    'boot m1',
    'explain hardware',
    'template validate -f -',
  ]) {
    const options = { input: 'name: x\n' };
    assert.equal(await done(`${words} --json`, options), await done(`${words} -o json`, options), words);
  }
  const other = await tink('tree hardware/m1 -o yaml');
  assert.deepEqual(
    [other.code, /-o yaml: tree supports only -o json, and prints text without it/.test(other.err)],
    [2, true],
  );
});

test('--version prints the version without a server', async () => {
  const environment = { TINK_SERVER: 'http://127.0.0.1:1' };
  assert.match(await done('--version', { environment }), /^\d+\.\d+\.\d+\n$/);
});
