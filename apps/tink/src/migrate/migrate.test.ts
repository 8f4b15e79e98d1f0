/** `tink migrate` on the data folder of a real server. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { runServer } from '../testing/running-server.ts';

test('a dry run prints what the run then does', async (context) => {
  const server = await runServer();
  context.after(() => server.remove());
  const { done } = createCommandRunner(() => server);
  await done('apply -f -', { input: hardware('m1', '08:00:27:00:00:01') });
  await server.kill();
  const words = `migrate --from sqlite:${join(server.folder, 'data')} --to sqlite:${join(server.folder, 'new')}`;
  const tried = await done(`${words} --dry-run`);
  assert.ok(!existsSync(join(server.folder, 'new')), 'nothing is written');
  const copied = await done(words);
  assert.equal(copied, tried.replace('would be copied', 'copied and compared'));
  assert.match(copied, /^ {2}\d+ records of timelines and output, 0 leases$/m);
});
