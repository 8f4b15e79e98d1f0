/** The npm package of the server, installed into an empty folder and started with npx and the Node of the machine. */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { builtPackages } from '@tinkerbell/packaging/testing';
import { freePort } from '@tinkerbell/sandbox/free-port';

const run = promisify(execFile);
const base = mkdtempSync(join(tmpdir(), 'npm-package-'));
after(() => rmSync(base, { recursive: true, force: true }));
const project = join(base, 'project');
const NAME = 'tinkerbell-0.1.0.tgz';
const POLL_MS = 100;
/** The limit only ends tests that hang. */
const REAL = { timeout: 300_000, skip: process.platform === 'linux' ? false : 'needs Debian' };

/** Without the Node of this checkout, which npm puts first. */
const folders = (process.env['PATH'] ?? '').split(delimiter);
const PATH = folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
const env = { ...process.env, PATH, TINKERBELL_DATA_DIR: join(base, 'data') };
const packed = join(project, 'node_modules/tinkerbell');

before(async () => {
  if (REAL.skip !== false) return;
  const packages = await builtPackages({ outputDirectory: join(base, 'packages') });
  mkdirSync(project);
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', packages.get(NAME) ?? ''];
  await run('npm', words, { cwd: project, env });
});

test('it needs no package but Node, and runs no script at its installation', REAL, () => {
  const manifest = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
  const checkout = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  assert.deepEqual(Object.keys(manifest.bin), ['tinkerbell', 'tink']);
  assert.deepEqual(manifest.optionalDependencies, checkout.optionalDependencies);
  assert.deepEqual([manifest.dependencies, manifest.scripts], [undefined, undefined]);
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed.sort(), [`node-${process.platform}-${process.arch}`, 'tinkerbell']);
});

test('npx starts tink', REAL, async () => {
  const { stdout } = await run('npx', ['--no', '--', 'tink', 'version'], { cwd: project, env });
  assert.match(stdout, /^tink +0\.1\.0/);
});

test('npx starts the server, which becomes ready, has the console, and ends with npx', REAL, async () => {
  const port = await freePort();
  const words = ['--http-port', String(port), '--tink-server-bind-port', '0', '--local-api-port', '0'];
  const off = ['--dhcp-enabled=false', '--tftp-server-enabled=false', '--syslog-enabled=false'];
  const own = ['--data-dir', join(base, 'data'), '--bind-address', '127.0.0.1'];
  const child = spawn('npx', ['--no', '--', 'tinkerbell', ...own, ...words, ...off], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += String(chunk)));
  // Comes when the server, which has the same standard output, has ended as well.
  const closed = once(child, 'close');
  try {
    const url = `http://127.0.0.1:${port}`;
    while (!(await answers(`${url}/readyz`))) {
      assert.equal(child.exitCode, null, log);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    assert.ok(await answers(`${url}/console/`), log);
    // The definitions of the API are found beside the programs.
    const crds = await run('npx', ['--no', '--', 'tink', 'get', 'hardware'], { cwd: project, env });
    assert.equal(crds.stderr.includes('ENOENT'), false, crds.stderr);
  } finally {
    child.kill('SIGTERM');
  }
  await closed;
});

test('without the Node that it needs, it says what is missing', REAL, () => {
  const launcher = join(base, 'alone');
  mkdirSync(launcher);
  // A copy that finds no other package.
  spawnSync('cp', ['-r', join(packed, 'bin'), launcher]);
  const { status, stderr } = spawnSync('node', [join(launcher, 'bin/tink.mjs'), 'version'], {
    env,
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /needs Node 26 or newer \(node:ffi, node:sqlite\), and this is Node 2\d\./);
  assert.match(stderr, /node-linux-\w+, which has it, is not installed/);
});

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
