/**
 * Actions that need more than the first stage of the in-memory OS, on a bare machine: a container from the server's own
 * registry, pulled with the session of the agent, and a file system that mke2fs makes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildLayout } from '@tinkerbell/container-runtime/testing';
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

const MAC = '08:00:27:9e:f5:77';
const REGISTRY = `${serverAddress}:7080`;
const MEBIBYTE = 1024 * 1024;
/** Behind the partition. */
const MARKER_AT = 2000 * MEBIBYTE;
const MARKER = 'written by a container';
/** The magic of ext2 to ext4: its offset in the file system, and its bytes on the disk. */
const EXT_MAGIC_AT = 0x438;
const EXT_MAGIC = '53ef';
const LABEL_AT = 0x478;
const POLL_MS = 500;

const needed = ['umoci', 'busybox', 'qemu-system-x86_64'];
const missing = needed.filter((program) => spawnSync('which', [program]).status !== 0);
function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for its own network';
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

const script = `#!/bin/sh
echo "container $1 of $(cat /etc/origin)"
printf '${MARKER}' | busybox dd of=/dev/vda bs=1M seek=${MARKER_AT / MEBIBYTE} conv=notrunc
`;

const storage = {
  disks: [{ device: '/dev/vda', partitions: [{ label: 'ROOT', number: 1, size: 200 * 2048 }] }],
  filesystems: [
    { mount: { device: '/dev/vda1', format: 'ext4', point: '/', create: { options: ['-L', 'SEGMENT'] } } },
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
          ip: { address: '192.168.56.77', netmask: '255.255.255.0', gateway: serverAddress },
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

const rootio = `image: quay.io/tinkerbell/actions/rootio:v1
        timeout: 300
        environment: { MIRROR_HOST: ${serverAddress}, METADATA_SERVICE_PORT: "7080" }`;

const template: ApiObject = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name: 'segments', namespace: 'default' },
  spec: {
    data: `version: "0.1"
name: segments
global_timeout: 1800
tasks:
  - name: actions
    worker: "{{.device_1}}"
    actions:
      - name: built in
        image: alpine
        timeout: 60
        command: ["echo", "the first stage"]
      - name: partition
        ${rootio}
        command: ["partition"]
      - name: container
        image: ${REGISTRY}/lab/tool:v1
        timeout: 600
        command: ["number-1"]
      - name: format
        ${rootio}
        command: ["format"]
`,
  },
};

const workflow: ApiObject = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'segments', namespace: 'default' },
  spec: { templateRef: 'segments', hardwareRef: 'machine', hardwareMap: { device_1: MAC } },
};

async function finalState(server: RunningServer): Promise<string> {
  for (;;) {
    const object: unknown = JSON.parse(await tink(server, 'get', 'workflow', 'segments', '-o', 'json'));
    const state = (object as { status?: { state?: string } }).status?.state ?? '';
    if (['SUCCESS', 'FAILED', 'TIMEOUT'].includes(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function bytesAt(path: string, offset: number, length: number): Promise<Buffer> {
  await using file = await open(path);
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, offset);
  return bytes;
}

test(
  'a bare machine runs a container from the registry of its server, and formats a disk',
  { skip: reasonToSkip() },
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const options = await serverOptions('bios', cleanup);
    const directory = options.dataDirectory;
    const network = await enterPrivateNetwork(serverAddress);
    const server = await startServer({ ...options, networkInterface: network.bridge });
    cleanup.defer(() => server.stop());

    const work = join(directory, 'image');
    await mkdir(work);
    const files = { script, 'etc/origin': 'the registry of the server' };
    buildLayout({ name: 'lab/tool:v1', entrypoint: ['/script'], files }, work);
    await tink(server, 'image', 'push', join(work, 'layout'), 'lab/tool:v1');
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

    const events = await tink(server, 'workflow', 'events', 'segments');
    const output = await tink(server, 'logs', 'segments');
    assert.equal(state, 'SUCCESS', `${events}\n${output}\n${machine.serial.tail(40).join('\n')}`);
    assert.match(output, /the first stage/);
    assert.match(output, /container number-1 of the registry of the server/);
    assert.equal((await bytesAt(machine.diskPath, MARKER_AT, MARKER.length)).toString(), MARKER);
    const start = await bytesAt(machine.diskPath, MEBIBYTE, 4096);
    assert.equal(start.toString('hex', EXT_MAGIC_AT, EXT_MAGIC_AT + 2), EXT_MAGIC);
    assert.equal(start.toString('latin1', LABEL_AT, LABEL_AT + 7), 'SEGMENT');

    const list = await readFile(join(options.hookDirectory, 'segments-x86_64.json'), 'utf8');
    const { segments } = JSON.parse(list) as { segments: readonly { name: string; file: string }[] };
    const printed = machine.serial.tail(500).join('\n');
    for (const name of ['containers', 'filesystems']) {
      assert.match(printed, new RegExp(`downloading ${name}`));
      assert.ok(segments.some((segment) => segment.name === name));
    }
    assert.doesNotMatch(printed, /downloading (boot|images)/, 'what no action needs is not downloaded');
  },
);
