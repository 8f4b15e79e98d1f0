/** Timelines against a real server that is killed and started again. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { runTink } from '../run.ts';
import { hardware, template, workflow } from '../testing/manifests.ts';
import { createRecordingTerminal } from '../testing/recording-terminal.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const mac = '08:00:27:00:00:01';

function terminalFor(input = '', isTty = false) {
  const environment = {
    TINK_SERVER: server.url,
    TINK_CONFIG: '/nonexistent/config.yaml',
    TINKERBELL_DATA_DIR: join(server.folder, 'data'),
  };
  return createRecordingTerminal({ environment, input, isTty });
}

async function tink(words: string, input?: string) {
  const terminal = terminalFor(input);
  const code = await runTink(words.split(' '), terminal);
  assert.equal(code, 0, terminal.printed.err);
  return terminal.printed;
}

const all = [hardware('m1', mac), template('t'), workflow('w1', 't', 'm1')].join('---\n');

test('events -w resumes after a restart of the server, reports it once, and neither misses nor repeats records', async () => {
  const terminal = terminalFor();
  await tink('apply -f -', all);
  const watching = runTink(['events', '--machine', 'm1', '-w', '-o', 'json'], terminal);
  await terminal.until(/workflow is PENDING/);
  // A crash may lose the last 100 ms of the journal, but records that were read are on disk.
  await tink('workflow events w1');
  await server.kill();
  await terminal.until(/lost http/);
  await server.start();
  await terminal.until(/^--- http.* is back$/m);
  await tink('apply -f -', workflow('w2', 't', 'm1'));
  await terminal.until(/default\/w2/);
  terminal.interrupt();
  assert.equal(await watching, 0);
  const records = terminal.printed.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { sequence: number; workflow: string });
  assert.deepEqual(
    records.map((record) => record.workflow),
    ['default/w1', 'default/w2'],
  );
  assert.equal(terminal.printed.err.match(/lost/g)?.length, 1);
  assert.equal(terminal.printed.err.match(/^--- http.* is back$/gm)?.length, 1);
  const later = await tink(`events --machine ${mac.toUpperCase()} -o json --after ${records[0]!.sequence}`);
  assert.match(later.out, /^\{.*"workflow":"default\/w2".*\}\n$/);
});

test('events without a machine show all machines, each record once, with their names', async () => {
  await tink(
    'apply -f - -n all --create-namespace',
    [
      all.replaceAll(mac, '08:00:27:00:01:01'),
      hardware('m2', '08:00:27:00:01:02'),
      workflow('w2', 't', 'm2'),
    ].join('---\n'),
  );
  const terminal = terminalFor();
  const watching = runTink(['events', '-n', 'all', '-w'], terminal);
  await terminal.until(/m1 .*PENDING[^]*m2 .*PENDING|m2 .*PENDING[^]*m1 .*PENDING/);
  await tink('apply -f - -n all --create-namespace', workflow('w3', 't', 'm2'));
  await terminal.until(/(m2 .*PENDING[^]*){2}/);
  terminal.interrupt();
  assert.equal(await watching, 0);
  assert.equal(terminal.printed.out.trim().split('\n').length, 3);
});

test('colours are only for terminals', async () => {
  await tink('apply -f - -n colours --create-namespace', all);
  const watching = terminalFor();
  const watched = runTink(['workflow', 'events', 'w1', '-n', 'colours', '-w'], watching);
  await watching.until(/workflow is PENDING/);
  watching.interrupt();
  await watched;
  const onTty = terminalFor('', true);
  await runTink(['workflow', 'events', 'w1', '-n', 'colours'], onTty);
  assert.ok(onTty.printed.out.includes('\u001b[32mworkflow'), onTty.printed.out);
  const piped = await tink('workflow events w1 -n colours');
  assert.equal(piped.out.includes('\u001b'), false);
});

test('rejects an unknown MAC, and --machine with --workflow, with advice', async () => {
  const terminal = terminalFor();
  assert.equal(await runTink(['events', '--machine', '08:00:27:00:00:99'], terminal), 1);
  assert.match(terminal.printed.err, /no hardware has the MAC 08:00:27:00:00:99/);
  assert.equal(await runTink(['events', '--machine', 'm1', '--workflow', 'w1'], terminal), 2);
});
