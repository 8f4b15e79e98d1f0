/** The cgroup of a container. It holds every process that the container started, whatever namespace it is in. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay, type Clock } from '@tinkerbell/platform-contract';
import { CGROUP_PARENT } from './runtime-config.ts';

const POLL_MS = 20;
/** A process that waits for a disk does not end. */
const POLLS_MAX = 250;

/** Where cgroup2 is mounted. Mounts it at `ownPlace` if it is not. Undefined if the kernel does not have it. */
export async function cgroupRoot(ownPlace: string): Promise<string | undefined> {
  const mounted = mountPoint();
  if (mounted !== undefined) return mounted;
  mkdirSync(ownPlace, { recursive: true });
  await new Promise<void>((resolve) => {
    const child = spawn('mount', ['-t', 'cgroup2', 'cgroup2', ownPlace], { stdio: 'ignore' });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  return mountPoint();
}

function mountPoint(): string | undefined {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2')?.[1];
}

/** Kills every process in the cgroup, and removes it. Resolves to false if processes are left. */
export async function endCgroup(root: string, id: string, clock: Clock): Promise<boolean> {
  const directory = join(root, CGROUP_PARENT, id);
  if (!existsSync(directory)) return true;
  for (let poll = 0; poll < POLLS_MAX; poll += 1) {
    killAll(directory);
    if (isEmpty(directory)) {
      removeAll(directory);
      return true;
    }
    await delay(clock, POLL_MS);
  }
  return false;
}

/** Kernels before 5.14 have no `cgroup.kill`. */
function killAll(directory: string): void {
  try {
    writeFileSync(join(directory, 'cgroup.kill'), '1');
  } catch {
    for (const pid of read(join(directory, 'cgroup.procs')).split('\n').filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has already ended.
      }
    }
    for (const child of children(directory)) killAll(child);
  }
}

function isEmpty(directory: string): boolean {
  return !/^populated 1$/m.test(read(join(directory, 'cgroup.events')));
}

function removeAll(directory: string): void {
  for (const child of children(directory)) removeAll(child);
  try {
    rmdirSync(directory);
  } catch {
    // A zombie is still in it. An empty cgroup costs next to nothing.
  }
}

function children(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
