/** `tink logs` against a real server that is killed and restarted. Its journal is written beforehand. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware, template, workflow } from '../testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';
import { runTink } from '../run.ts';

let server: RunningServer;
const { done, tink, terminal } = createCommandRunner(() => server);

/** Writes while the server is down. Otherwise agents write output through it. */
async function printed(
  ...lines: (readonly [action: string, message: string, attempt?: number])[]
): Promise<void> {
  const log = createNodeLog({ level: 'silent', format: 'json' });
  await using journal = openSqliteJournal({
    path: join(server.folder, 'data', 'tinkerbell.db'),
    clock: nodeClock,
    log,
  });
  for (const [action, message, attempt = 1] of lines) {
    const details = { task: 'install', action, attempt, stream: 'stdout', position: 0 };
    journal.append({ source: 'agent', event: 'action-output', workflow: 'default/w', message, details });
  }
}

before(async () => {
  server = await runServer();
  const input = [hardware('m1', '08:00:27:00:00:01'), template('t'), workflow('w', 't', 'm1')].join('---\n');
  await done('apply -f -', { input });
  await done('workflow events w');
  await server.kill();
  await printed(['stream image', 'one\ttwo'], ['stream image', 'a\u001b[2Jb', 2], ['grub', 'three']);
  await server.start();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

test('prints the lines of the action, which cannot move the cursor', async () => {
  assert.equal(await done('logs w'), 'one\ttwo\na\\x1b[2Jb\nthree\n');
  assert.equal(await done('workflow logs w --action grub'), 'three\n');
  assert.equal(await done('logs w --action install/grub'), 'three\n');
  assert.match(
    await done('logs w --timestamps --action grub'),
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}three\n$/,
  );
  const records = (await done('logs w --json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { sequence: number });
  assert.equal(records.length, 3);
  assert.equal(await done(`logs w --after ${records[1]!.sequence}`), 'three\n');
  assert.equal(await done('logs w --since 1h'), 'one\ttwo\na\\x1b[2Jb\nthree\n');
  const { code, out, err } = await tink('logs w --since 2200-01-01T00:00:00Z');
  assert.deepEqual([code, out, /no output yet/.test(err)], [0, '', true]);
  assert.equal((await tink('logs w --since yesterday')).code, 2);
});

test('prints headings with the action on a terminal', async () => {
  const out = await done('logs w', { isTty: true, environment: { NO_COLOR: '1' } });
  assert.equal(
    out,
    '--- install / stream image\none\ttwo\n--- install / stream image, attempt 2\na\\x1b[2Jb\n--- install / grub\nthree\n',
  );
});

test('the timeline contains no output', async () => {
  assert.doesNotMatch(await done('workflow events w'), /three/);
});

test('-f resumes after a restart of the server, and neither misses nor repeats lines', async () => {
  const recording = terminal();
  const watching = runTink(['logs', 'w', '-f'], recording);
  await recording.until(/three\n/);
  await server.kill();
  await recording.until(/lost http/);
  await printed(['grub', 'four'], ['grub', 'five']);
  await server.start();
  await recording.until(/five\n/);
  recording.interrupt();
  assert.equal(await watching, 0);
  assert.equal(recording.printed.out, 'one\ttwo\na\\x1b[2Jb\nthree\nfour\nfive\n');
});
