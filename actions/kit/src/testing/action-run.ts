/** What tests of actions need: a server of files, a clock that skips waits, a context, and loop devices. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import type { TestContext } from 'node:test';

import type { ActionContext } from '../action.ts';

/** `http://127.0.0.1:<port>`, until the test ends. */
export async function serve(context: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Every reading is a second later, so each chunk is worth a progress report, and nothing is retried for long.
 */
export function quickClock(): ActionContext['clock'] {
  let now = 0;
  return {
    nowMs: () => now,
    monotonicMs: () => (now += 1000),
    schedule: (_delayMs, task) => {
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    },
  };
}

/** A context without log and progress. */
export function quietContext(changes: Partial<ActionContext> = {}): ActionContext {
  const quiet: ActionContext['log'] = {
    debug() {},
    info() {},
    warn() {},
    error() {},
    child: () => quiet,
  };
  return {
    log: quiet,
    clock: quickClock(),
    signal: new AbortController().signal,
    command: [],
    progress() {},
    ...changes,
  };
}

/** Returns a loop device for the file until the test ends. Skips the test where there are none. */
export function loopDevice(
  context: TestContext,
  path: string,
  options: readonly string[] = [],
): string | undefined {
  try {
    const device = execFileSync('losetup', ['-f', '--show', ...options, path], { stdio: 'pipe' });
    const name = device.toString().trim();
    context.after(() => execFileSync('losetup', ['-d', name]));
    return name;
  } catch {
    context.skip('needs root and loop devices');
    return undefined;
  }
}

/** Attempts to remove the partitions of a loop device. */
const REMOVE_ATTEMPTS = 100;

/**
 * Makes the partitions of a loop device appear, also with a kernel that cannot read partition tables, as in some
 * virtual machines. Call the result before the test ends.
 */
export function addPartitions(device: string): () => void {
  if (existsSync(`${device}p1`)) return () => {};
  execFileSync('partx', ['-a', device]);
  return () => {
    // Another process that has just copied the mounts keeps a partition busy for a moment.
    for (let attempt = 1; attempt <= REMOVE_ATTEMPTS; attempt += 1) {
      spawnSync('partx', ['-d', device]);
      const left = readdirSync('/sys/class/block').filter((name) => name.startsWith(`${basename(device)}p`));
      if (left.length === 0) return;
      spawnSync('sleep', ['0.1']);
    }
  };
}

/** Returns false when all programs are installed, and otherwise the reason to skip. */
export function missingPrograms(...names: readonly string[]): string | false {
  const missing = names.filter((name) => {
    try {
      execFileSync('sh', ['-c', 'command -v "$0"', name], { stdio: 'pipe' });
      return false;
    } catch {
      return true;
    }
  });
  return missing.length > 0 && `needs the programs ${missing.join(', ')}`;
}
