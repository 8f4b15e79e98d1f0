/**
 * An action fails on a real machine. After the fix it is retried from where it failed, and what succeeded
 * before is not repeated.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine, createObject, startServer, type ApiObject } from '@tinkerbell/sandbox';
import { enterRack, limitOf, serverOptions, timelineOf, tink, until } from './bare-machine.ts';
import { putSmallImage, WRONG_DISK_TEMPLATE } from './wrong-disk-template.ts';

const WORKFLOW = 'machine-1-debian';

interface StoredWorkflow {
  readonly status: {
    readonly state: string;
    readonly tasks: readonly {
      readonly actions: readonly {
        readonly name: string;
        readonly state: string;
        readonly attempt: number;
        readonly message?: string;
      }[];
    }[];
  };
}

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network and disk images';

test('retry from the failed action ends the run without repeating the earlier ones', { skip }, async () => {
  await using cleanup = new AsyncDisposableStack();
  const options = await serverOptions('bios', cleanup);
  putSmallImage(options.imagesDirectory);
  const { network, template, demo: demoMachine } = await enterRack('bios', cleanup);
  const server = await startServer({ ...options, networkInterface: network.bridge });
  cleanup.defer(() => server.stop());
  const ours: ApiObject = { ...template, spec: { data: WRONG_DISK_TEMPLATE } };
  for (const object of [ours, demoMachine.hardware, demoMachine.workflow]) await createObject(server, object);
  const directory = options.dataDirectory;
  const port = await network.addPort();
  const machine = await createMachine({ ...demoMachine, firmware: 'bios', directory, port });
  cleanup.defer(() => machine.powerOff());
  const ending = limitOf(machine.failed, () => machine.serial.tail(30).join('\n'));
  await machine.powerOn();
  const reaches = (state: string) =>
    Promise.race([
      until(server, demoMachine, ({ message }) => message.includes(`workflow is ${state}`)),
      ending,
    ]);
  const stored = async () =>
    JSON.parse(await tink(server, 'get', 'workflow', WORKFLOW, '-o', 'json')) as StoredWorkflow;
  const actions = async () => (await stored()).status.tasks.flatMap((task) => task.actions);

  await reaches('FAILED');
  assert.deepEqual(
    (await actions()).map(({ state }) => state),
    ['SUCCESS', 'FAILED', 'PENDING'],
  );
  await tink(server, 'workflow', 'edit', WORKFLOW, 'write first', '--env', 'DEST_DISK=/dev/vda');
  await tink(server, 'workflow', 'retry', WORKFLOW, '--from', 'write first', '--why', 'wrong disk');
  await reaches('SUCCESS');
  assert.deepEqual(
    (await actions()).map(({ name, state, attempt }) => [name, state, attempt]),
    [
      ['write image', 'SUCCESS', 1],
      ['write first', 'SUCCESS', 2],
      ['write second', 'SUCCESS', 1],
    ],
  );
  const started = (await timelineOf(server, demoMachine)).filter(({ event }) => event === 'action-started');
  assert.equal(started.length, 4, 'one of them twice');
});
