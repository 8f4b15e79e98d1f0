/** `tink audit` against a real server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runTink } from '../run.ts';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { runServer, type RunningServer } from '../testing/running-server.ts';

let server: RunningServer;
const { done, tink, terminal } = createCommandRunner(() => server);
before(async () => {
  server = await runServer();
});
after(() => server.remove());

test('prints who changed what, honours --limit, and resumes after a restart', async () => {
  assert.match((await tink('audit')).err, /no writes yet/);
  await done('apply -f -', { input: hardware('m1', '08:00:27:00:00:01') });
  await done('delete hw m1');
  const lines = (await done('audit')).trim().split('\n');
  const at = String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  `;
  const who = 'system:admin delete hardware.tinkerbell.org default/m1: 200';
  assert.match(lines.at(-1) ?? '', new RegExp(`${at}${who} {2}\\(from 127\\.0\\.0\\.1\\)$`));
  assert.ok(lines.length > 1);
  assert.equal(await done('audit --limit 1'), `${lines.at(-1)}\n`);
  assert.equal((await tink('audit --user nobody')).out, '');
  const record = JSON.parse(await done('audit --limit 1 --json')) as { details: object };
  assert.partialDeepStrictEqual(record.details, { verb: 'delete', name: 'm1', code: 200 });
  assert.equal((await tink('audit --limit 0')).code, 2);

  const recording = terminal();
  const watching = runTink(['audit', '-w', '--limit', '1'], recording);
  await recording.until(/delete hardware/);
  await server.kill();
  await server.start();
  await done('apply -f -', { input: hardware('m2', '08:00:27:00:00:02') });
  await recording.until(/default\/m2: 201/);
  recording.interrupt();
  assert.equal(await watching, 0);
});
