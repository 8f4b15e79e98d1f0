/** `tink rescue` against a real server, without a BMC. Another test has one: `../bmc/bmc-commands.test.ts`. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware, template, workflow } from '../testing/manifests.ts';
import { runServer, type RunningServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
after(() => server.remove());

const { done, failed, rendered, tink } = createCommandRunner(() => server);
const mac = '08:00:27:00:00:01';

const marks = async (): Promise<string> =>
  done('get hardware m1 -n r1 -o jsonpath={.metadata.annotations.tinkerbell\\.org/rescue}');

test('without a BMC, the operator restarts the machine', async () => {
  await done('apply -f - -n r1', { input: hardware('m1', mac) });
  assert.deepEqual(await tink('rescue m1 -n r1'), {
    code: 0,
    out: 'm1: in rescue\n',
    err: 'next: restart the machine so that it boots from the network, and use its console\n',
  });
  assert.equal(await marks(), 'true');
  assert.deepEqual(await tink(`rescue ${mac} --end -n r1`), {
    code: 0,
    out: 'm1: repair ended\n',
    err: 'next: restart the machine\n',
  });
  assert.equal(await marks(), '');
});

test('a machine at work is refused, and the repair can end anyway', async () => {
  const input = [template('t'), workflow('w', 't', 'm1')].join('---\n');
  await done('apply -f - -n r1', { input });
  await rendered('w', 'r1');
  assert.equal(
    await failed('rescue m1 -n r1'),
    'tink: workflow/w of this machine has not ended; it is PENDING\n' +
      '      watch it with "tink workflow events w -w", or end it with "tink workflow cancel w"\n',
  );
  assert.equal(await marks(), '');
  await done('rescue m1 --end -n r1');
  await done('workflow cancel w -n r1');
  await done('rescue m1 -n r1');
});
