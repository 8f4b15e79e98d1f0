/**
 * An action fails on a real machine. After the fix it is retried from where it failed, and what succeeded
 * before is not repeated.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  createMachine,
  createObject,
  enterPrivateNetwork,
  loadDemoManifests,
  startRouterAdvertiser,
  startServer,
  type ApiObject,
} from '@tinkerbell/sandbox';
import { limitOf, serverAddress, serverOptions, timelineOf, tink, until } from './bare-machine.ts';

const IMAGE = 'small.img';
const IMAGE_BYTES = 8 * 1024 * 1024;
const WORKFLOW = 'machine-1-debian';
const action = (name: string, image: string, environment: Readonly<Record<string, string>>) => `
      - name: ${name}
        image: quay.io/tinkerbell/actions/${image}:latest
        timeout: 300
        environment:${Object.entries(environment)
          .map(([key, value]) => `\n          ${key}: "${value}"`)
          .join('')}`;

const writeFile = (disk: string, path: string) => ({
  DEST_DISK: disk,
  FS_TYPE: 'ext4',
  DEST_PATH: path,
  CONTENTS: 'done',
  UID: '0',
  GID: '0',
  MODE: '0644',
  DIRMODE: '0755',
});

const TEMPLATE = `version: "0.1"
name: debian
global_timeout: 1800
tasks:
  - name: install
    worker: "{{.device_1}}"
    actions:${[
      action('write image', 'image2disk', {
        IMG_URL: `http://${serverAddress}:7080/images/${IMAGE}`,
        DEST_DISK: '/dev/vda',
        COMPRESSED: 'false',
      }),
      action('write first', 'writefile', writeFile('/dev/vdz', '/first')),
      action('write second', 'writefile', writeFile('/dev/vda', '/second')),
    ].join('')}
`;

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
  writeSmallImage(join(options.imagesDirectory, IMAGE));
  const network = await enterPrivateNetwork(serverAddress);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  const { template, machines } = await loadDemoManifests(1, 'bios');
  const [demoMachine] = machines;
  assert.ok(demoMachine !== undefined);
  const server = await startServer({ ...options, networkInterface: network.bridge });
  cleanup.defer(() => server.stop());
  const ours: ApiObject = { ...template, spec: { data: TEMPLATE } };
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

/** A filesystem without partitions. The disk is larger, which ext4 accepts. */
function writeSmallImage(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, IMAGE_BYTES);
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-F', path]);
}
