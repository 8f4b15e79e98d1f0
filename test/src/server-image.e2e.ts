/** The container image of the server: read by skopeo and umoci, run by crun without root, and booted from by a virtual machine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { missingForContainers } from '@tinkerbell/container-runtime/testing';
import { builtPackages, startImageContainer, USER } from '@tinkerbell/packaging/testing';
import { createMachine, createObject, EMULATED_KERNEL_ARGUMENTS } from '@tinkerbell/sandbox';
import { localFetch } from '@tinkerbell/sandbox/local-authorization';
import { enterRack, serverAddress, serverOptions } from './bare-machine.ts';
import { agentReached, template, workflowFor } from './firmware/reach-agent.ts';

const missing = missingForContainers();
/** The limit only ends tests that hang. */
const REAL = { timeout: 900_000, ...(missing === undefined ? {} : { skip: missing }) };
/** Without the in-memory OS. */
const SIZE_BYTES_MAX = 200e6;
const PORTS = ['42113/tcp', '514/udp', '67/udp', '69/udp', '7080/tcp', '7443/tcp'];
const HTTP_PORT = 7080;
const run = promisify(execFile);
const base = mkdtempSync(join(tmpdir(), 'server-image-'));
const cleanup = new AsyncDisposableStack();
after(async () => {
  await cleanup.disposeAsync();
  rmSync(base, { recursive: true, force: true });
});
let archive = '';
let kernel = '';
let ipxeDirectory = '';
let systemBytes = 0;
before(async () => {
  if (missing !== undefined) return;
  const options = await serverOptions('bios', cleanup);
  ({ ipxeDirectory } = options);
  kernel = join(options.hookDirectory, 'vmlinuz-x86_64');
  const packages = await builtPackages({
    outputDirectory: join(base, 'packages'),
    hookDirectory: options.hookDirectory,
  });
  archive = packages.get('tinkerbell_0.1.0_oci.tar') ?? '';
  systemBytes = statSync([...packages].find(([name]) => name.startsWith('tinkerbell-os_'))?.[1] ?? '').size;
});

test('skopeo reads the archive as an OCI image and as one of Docker', REAL, async () => {
  assert.ok(statSync(archive).size - systemBytes < SIZE_BYTES_MAX);
  for (const transport of ['oci-archive', 'docker-archive']) {
    const { stdout } = await run('skopeo', ['inspect', '--config', `${transport}:${archive}`]);
    const { config } = JSON.parse(stdout);
    assert.equal(config.User, `${USER}:${USER}`);
    assert.deepEqual(config.Entrypoint, ['/usr/bin/tinkerbell']);
    assert.deepEqual(config.Volumes, { '/var/lib/tinkerbell': {} });
    assert.deepEqual(Object.keys(config.ExposedPorts).sort(), PORTS);
    assert.equal(config.Labels['org.opencontainers.image.version'], '0.1.0');
  }
});

test('crun runs it with a read-only root and without root, and it becomes ready', REAL, async () => {
  const flags = ['--public-ipv4=127.0.0.1'];
  await using container = await startImageContainer({ directory: base, archive, flags, ownNetwork: true });
  assert.match(container.ready, /"data":"\/var\/lib\/tinkerbell"/);
  const fetched = async (path: string): Promise<Buffer> => {
    const words = ['curl', '-s', `http://127.0.0.1:${HTTP_PORT}/${path}`];
    const options = { encoding: 'buffer', maxBuffer: 2 ** 26 } as const;
    return (await run('nsenter', ['--net', '-t', String(container.pid), ...words], options)).stdout;
  };
  assert.equal(String(await fetched('readyz')), 'ok');
  const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  assert.equal(digest(await fetched('hook/vmlinuz-x86_64')), digest(readFileSync(kernel)));
  // The volume has what must outlive the container.
  assert.equal(statSync(join(container.state, 'tinkerbell.db')).uid, USER);
  assert.deepEqual(await container.stop(), [0, null]);
});

/** The last one, because it moves this process into the network of the machine. */
test('a bare machine boots from it until its agent has an action', REAL, async (context) => {
  const { network, demo } = await enterRack('bios', cleanup);
  await using container = await startImageContainer({
    directory: base,
    archive,
    flags: [
      `--dhcp-bind-interface=${network.bridge}`,
      `--public-ipv4=${serverAddress}`,
      `--ipxe-http-script-extra-kernel-args=${EMULATED_KERNEL_ARGUMENTS}`,
      '--ipxe-binary-dir=/ipxe',
    ],
    mounts: { '/ipxe': ipxeDirectory },
    ownNetwork: false,
  });
  const server = {
    url: `http://127.0.0.1:${HTTP_PORT}`,
    request: localFetch(container.state),
    tail: () => container.tail(),
  };
  for (const object of [template, demo.hardware, workflowFor(demo.hardware)])
    await createObject(server, object);
  const port = await network.addPort();
  const machine = await createMachine({ ...demo, firmware: 'bios', directory: base, port });
  try {
    await machine.powerOn();
    const onStandstill = (report: string): void => context.diagnostic(`the machine was reset: ${report}`);
    const timeline = await agentReached({ server, hardware: demo.hardware, machine, onStandstill });
    const events = timeline.map(({ event }) => event);
    for (const event of ['offer-sent', 'script-served', 'action-served'])
      assert.ok(events.includes(event), `${event} in ${events.join(', ')}`);
  } finally {
    await machine.powerOff();
  }
});
