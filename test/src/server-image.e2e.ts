/** The container image of the server: read by skopeo and umoci, and run by crun without root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { missingForContainers } from '@tinkerbell/container-runtime/testing';
import { builtPackages, startImageContainer, USER } from '@tinkerbell/packaging/testing';

const missing = missingForContainers();
/** The limit only ends tests that hang. */
const REAL = { timeout: 300_000, ...(missing === undefined ? {} : { skip: missing }) };
const SIZE_BYTES_MAX = 200e6;
const PORTS = ['42113/tcp', '514/udp', '67/udp', '69/udp', '7080/tcp', '7443/tcp'];
const run = promisify(execFile);
const base = mkdtempSync(join(tmpdir(), 'server-image-'));
after(() => rmSync(base, { recursive: true, force: true }));
let archive = '';
before(async () => {
  if (missing !== undefined) return;
  const hookDirectory = join(base, 'hook');
  mkdirSync(hookDirectory);
  writeFileSync(join(hookDirectory, 'vmlinuz-x86_64'), 'a kernel');
  const packages = await builtPackages({ outputDirectory: join(base, 'packages'), hookDirectory });
  archive = packages.get('tinkerbell_0.1.0_oci.tar') ?? '';
});

test('skopeo reads the archive as an OCI image and as one of Docker', REAL, async () => {
  assert.ok(statSync(archive).size < SIZE_BYTES_MAX);
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
  const fetched = async (path: string): Promise<string> => {
    const words = ['curl', '-s', `http://127.0.0.1:7080/${path}`];
    return (await run('nsenter', ['--net', '-t', String(container.pid), ...words])).stdout;
  };
  assert.equal(await fetched('readyz'), 'ok');
  assert.equal(await fetched('hook/vmlinuz-x86_64'), 'a kernel');
  // The volume has what must outlive the container.
  assert.equal(statSync(join(container.state, 'tinkerbell.db')).uid, USER);
  assert.deepEqual(await container.stop(), [0, null]);
});
