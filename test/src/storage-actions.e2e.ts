/** A file system on LVM on LUKS on RAID, on a bare machine: with the kernel and the segments of the in-memory OS. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import {
  createMachine,
  createObject,
  enterPrivateNetwork,
  serialConsoleArguments,
  startServer,
  type ApiObject,
  type RunningServer,
} from '@tinkerbell/sandbox';
import { limitOf, serverAddress, serverOptions, tink } from './bare-machine.ts';

const MAC = '08:00:27:9e:f5:78';
const POLL_MS = 500;
const SECTORS = 200 * 2048;
const PASSPHRASE = 'canary-passphrase-4711';

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for its own network';
  const isInstalled = spawnSync('which', ['qemu-system-x86_64']).status === 0;
  return isInstalled ? false : 'not installed: qemu-system-x86_64';
}

const storage = {
  disks: [
    {
      device: '/dev/vda',
      partitions: ['A', 'B'].map((label, index) => ({ label, number: index + 1, size: SECTORS })),
    },
  ],
  filesystems: [
    { mount: { device: '/dev/vg0/root', format: 'ext4', point: '/', create: { options: ['-L', 'ROOT'] } } },
  ],
};

const hardware: ApiObject = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'machine', namespace: 'default' },
  spec: {
    agentID: MAC,
    disks: [{ device: '/dev/vda' }],
    metadata: { instance: { id: MAC, hostname: 'machine', storage } },
    interfaces: [
      {
        dhcp: {
          mac: MAC,
          arch: 'x86_64',
          lease_time: 3600,
          ip: { address: '192.168.56.78', netmask: '255.255.255.0', gateway: serverAddress },
        },
        netboot: {
          allowPXE: true,
          allowWorkflow: true,
          osie: { kernelParams: serialConsoleArguments('bios') },
        },
      },
    ],
  },
};

interface Step {
  readonly name: string;
  readonly image: string;
  readonly command?: string;
  readonly environment: Readonly<Record<string, string>>;
}

const rootio = (command: string): Step => ({
  name: command,
  image: 'rootio',
  command,
  environment: { MIRROR_HOST: serverAddress, METADATA_SERVICE_PORT: '7080' },
});
const raid = { ARRAY: '/dev/md/data', LEVEL: '1', DEVICES: '/dev/vda1,/dev/vda2' };
const luks = { DEVICE: '/dev/md/data', KEY: PASSPHRASE, NAME: 'crypt', ITERATION_MS: '10' };
const lvm = {
  VOLUME_GROUP: 'vg0',
  PHYSICAL_VOLUMES: '/dev/mapper/crypt',
  LOGICAL_VOLUMES: 'root:60M,rest:100%FREE',
};
const STEPS: readonly Step[] = [
  rootio('partition'),
  { name: 'raid', image: 'mdraid', environment: raid },
  { name: 'raid again', image: 'mdraid', environment: raid },
  { name: 'luks', image: 'luks', environment: luks },
  { name: 'luks again', image: 'luks', environment: luks },
  { name: 'lvm', image: 'lvm', environment: lvm },
  { name: 'lvm again', image: 'lvm', environment: lvm },
  rootio('format'),
  {
    name: 'write',
    image: 'writefile',
    environment: {
      DEST_DISK: '/dev/vg0/root',
      FS_TYPE: 'ext4',
      DEST_PATH: '/origin',
      CONTENTS: 'on three layers',
      UID: '0',
      GID: '0',
      MODE: '0644',
      DIRMODE: '0755',
    },
  },
];

/** JSON is YAML too. */
const template: ApiObject = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name: 'storage', namespace: 'default' },
  spec: {
    data: JSON.stringify({
      version: '0.1',
      name: 'storage',
      global_timeout: 1800,
      tasks: [
        {
          name: 'actions',
          worker: '{{.device_1}}',
          actions: STEPS.map(({ name, image, command, environment }) => ({
            name,
            image: `quay.io/tinkerbell/actions/${image}:v1`,
            timeout: 600,
            environment,
            ...(command === undefined ? {} : { command: [command] }),
          })),
        },
      ],
    }),
  },
};

const workflow: ApiObject = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'storage', namespace: 'default' },
  spec: { templateRef: 'storage', hardwareRef: 'machine', hardwareMap: { device_1: MAC } },
};

async function finalState(server: RunningServer): Promise<string> {
  for (;;) {
    const object: unknown = JSON.parse(await tink(server, 'get', 'workflow', 'storage', '-o', 'json'));
    const state = (object as { status?: { state?: string } }).status?.state ?? '';
    if (['SUCCESS', 'FAILED', 'TIMEOUT'].includes(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

test(
  'a bare machine gets a file system on LVM on LUKS on RAID, and running twice changes nothing',
  { skip: reasonToSkip() },
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const options = await serverOptions('bios', cleanup);
    const directory = options.dataDirectory;
    const network = await enterPrivateNetwork(serverAddress);
    const server = await startServer({ ...options, networkInterface: network.bridge });
    cleanup.defer(() => server.stop());
    for (const object of [hardware, template, workflow]) await createObject(server, object);
    const machine = await createMachine({
      name: 'machine',
      mac: MAC,
      firmware: 'bios',
      directory,
      port: await network.addPort(),
    });
    cleanup.defer(() => machine.powerOff());
    const ending = limitOf(machine.failed, () => machine.serial.tail(40).join('\n'));
    await machine.powerOn();
    const state = await Promise.race([finalState(server), ending]);

    const events = await tink(server, 'workflow', 'events', 'storage');
    const output = await tink(server, 'logs', 'storage');
    const printed = machine.serial.tail(500).join('\n');
    assert.equal(state, 'SUCCESS', `${events}\n${output}\n${printed}`);
    for (const text of [
      'created /dev/md/data (RAID 1)',
      '/dev/md/data (RAID 1) of /dev/vda1, /dev/vda2 is as wanted',
      'as /dev/mapper/crypt is as wanted',
      'created the volume group vg0',
      ' is as wanted',
      'wrote 15 bytes to /origin on /dev/vg0/root',
    ])
      assert.ok(
        events.includes(text) || output.includes(text) || printed.includes(text),
        `${text}\n${events}`,
      );
    for (const name of ['mdraid', 'luks', 'lvm', 'filesystems'])
      assert.match(printed, new RegExp(`downloading ${name}`));
    for (const text of [output, printed]) assert.ok(!text.includes(PASSPHRASE), 'the key is in no log');
  },
);
