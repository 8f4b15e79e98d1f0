/** Approval, against a real server. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed } = createCommandRunner(() => server);

const pending = (name: string, mac: string): string =>
  hardware(name, mac).replace(
    `  name: ${name}\n`,
    `  name: ${name}\n  annotations: {tinkerbell.org/approval: pending, other: kept}\n`,
  );

test('approves waiting machines, and reports those that are already approved', async () => {
  await done('apply -f -', {
    input: `${pending('a', '08:00:27:00:00:01')}---\n${pending('b', '08:00:27:00:00:02')}`,
  });
  assert.equal(await done('hardware approve a b'), 'hardware/a approved\nhardware/b approved\n');
  const { metadata, spec } = JSON.parse(await done('get hw a -o json')) as {
    metadata: { annotations: object };
    spec: { interfaces: object[] };
  };
  assert.deepEqual(metadata.annotations, { 'tinkerbell.org/approval': 'approved', other: 'kept' });
  assert.equal(spec.interfaces.length, 1);
  assert.equal(await done('hw approve a'), 'hardware/a already approved\n');
});

test('does not approve a machine that is not waiting, or that does not exist', async () => {
  await done('apply -f -', { input: hardware('plain', '08:00:27:00:00:03') });
  assert.match(
    await failed('hardware approve plain'),
    /hardware\/plain is not waiting for approval\n.*approval/,
  );
  assert.match(await failed('hardware approve plai'), /hardware "plai" not found .*\n.*did you mean plain/);
});
