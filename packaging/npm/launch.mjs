/**
 * Starts a program of this package with the Node that it needs: that of the npm package for this platform, or the one that runs this
 * file. Runs in Node 20 and newer.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first version with `node:ffi`. `node:sqlite` and `using` are older. */
const NODE_MAJOR = 26;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PARENT_CHECK_MS = 500;
/** What the loader of Linux ends with when a library is missing. */
const NO_LIBRARY = 127;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Replaces this process where Node can, except below npx, and else ends with the exit code of the program. */
export function launch(name, nodeFlags, environment = {}) {
  const program = join(root, 'programs', `start-${name}.mjs`);
  const words = [...nodeFlags, program, ...process.argv.slice(2)];
  const node = nodeProgram();
  if (node === undefined) {
    process.stderr.write(`${missingNode()}\n`);
    process.exit(1);
  }
  const env = { ...process.env, ...environment };
  const belowNpx = process.env.npm_command === 'exec';
  if (process.execve !== undefined && !belowNpx) {
    process.removeAllListeners('warning');
    process.execve(node, [node, ...words], env);
  }
  const child = spawn(node, words, { stdio: 'inherit', env });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  if (belowNpx) endWithParent(child);
  child.on('error', (error) => fail(`${node} does not start: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (code === NO_LIBRARY) fail('Node lacks a library; on Debian: apt-get install libatomic1 libstdc++6');
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}

/** npx sends a signal to a shell only. The shell ends by it and forwards nothing. */
function endWithParent(child) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    child.kill('SIGTERM');
  }, PARENT_CHECK_MS);
}

function fail(message) {
  process.stderr.write(`tinkerbell: ${message}\n`);
  process.exit(1);
}

function platformPackage() {
  return `node-${process.platform}-${process.arch}`;
}

function nodeProgram() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${platformPackage()}/package.json`);
    return join(dirname(manifest), 'bin/node');
  } catch {
    return Number(process.versions.node.split('.')[0]) >= NODE_MAJOR ? process.execPath : undefined;
  }
}

function missingNode() {
  return `tinkerbell: it needs Node ${NODE_MAJOR} or newer (node:ffi, node:sqlite), and this is Node ${process.versions.node}.
The npm package ${platformPackage()}, which has it, is not installed: install again without --omit=optional, or use Node ${NODE_MAJOR}.`;
}
