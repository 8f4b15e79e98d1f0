/** Starts crun and ends what it started. */
import { spawn } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { codeOf, PlatformError, type Clock } from '@tinkerbell/platform-contract';
import { STOP_GRACE_MS, type OutputStream } from './container-order.ts';
import { OutputLines } from './output-lines.ts';

export interface CrunProcess {
  readonly crun: string;
  readonly id: string;
  /** Has `config.json` and `rootfs`. */
  readonly bundle: string;
  /** crun's own state. */
  readonly state: string;
  readonly hasCgroups: boolean;
  readonly stopSignal: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine: (stream: OutputStream, line: string) => void;
  /** Kills every process of the container. */
  readonly endAll: () => Promise<unknown>;
}

const CGROUP2_MAGIC = 0x63677270;
/** Processes that the container left behind are killed. Their output is read for this time at most. */
const DRAIN_MS = 1000;
const WATCH_MS = 200;

/** Resolves with the exit code when the container has ended, and its output was read. Rejects when crun cannot start. */
export function runCrun(run: CrunProcess): Promise<number> {
  const { clock, signal } = run;
  const pidFile = join(run.bundle, 'pid');
  const [command = '', ...args] = commandOf(run, pidFile);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = { stdout: new OutputLines(to('stdout')), stderr: new OutputLines(to('stderr')) };
    child.stdout.on('data', (chunk: Buffer) => lines.stdout.take(chunk));
    child.stderr.on('data', (chunk: Buffer) => lines.stderr.take(chunk));
    let cancel: () => void = () => undefined;
    // crun writes the file of the first process a moment after that has started.
    let mustSignal = false;
    const stop = (): void => {
      mustSignal = !signalFirst(pidFile, run.stopSignal);
      cancel = clock.schedule(STOP_GRACE_MS, () => {
        // Before the container has a first process, there is only crun.
        child.kill('SIGKILL');
        void run.endAll();
      });
    };
    // crun waits for what its container left behind in the processes of the machine.
    const watch = setInterval(() => {
      if (hasEnded(pidFile)) void run.endAll();
      if (mustSignal) mustSignal = !signalFirst(pidFile, run.stopSignal);
    }, WATCH_MS);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const settle = (): void => {
      clearInterval(watch);
      cancel();
      signal.removeEventListener('abort', stop);
    };
    child.once('error', (cause) => {
      settle();
      const missing = codeOf(cause) === 'ENOENT' ? 'it is not installed' : cause.message;
      reject(new PlatformError('not-found', `cannot run ${run.crun}: ${missing}`, { cause }));
    });
    child.once('exit', () => {
      void run.endAll();
      clock.schedule(DRAIN_MS, () => {
        child.stdout.destroy();
        child.stderr.destroy();
      });
    });
    child.once('close', (code, killedBy) => {
      settle();
      lines.stdout.end();
      lines.stderr.end();
      resolve(code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]));
    });
  });
  function to(stream: OutputStream): (line: string) => void {
    return (line) => run.onLine(stream, line);
  }
}

/** True if the container's first process has started and ended. */
function hasEnded(pidFile: string): boolean {
  const pid = readOr(pidFile, '');
  if (pid === '') return false;
  const status = readOr(`/proc/${pid.trim()}/status`, 'State:\tX');
  return /^State:\s+[ZX]/m.test(status);
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

/** crun reads /sys/fs/cgroup. Where that is not cgroup2, crun gets a mount namespace in which it is. */
function commandOf({ crun, id, bundle, state, hasCgroups }: CrunProcess, pidFile: string): readonly string[] {
  const options = ['--root', state, `--cgroup-manager=${hasCgroups ? 'cgroupfs' : 'disabled'}`];
  const noPivot = isRootOfKernel() ? ['--no-pivot'] : [];
  const command = [crun, ...options, 'run', ...noPivot, '--bundle', bundle, '--pid-file', pidFile, id];
  if (!hasCgroups || isCgroup2('/sys/fs/cgroup')) return command;
  const script = 'mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"';
  return ['unshare', '-m', 'sh', '-c', script, 'sh', ...command];
}

function isCgroup2(path: string): boolean {
  try {
    return statfsSync(path).type === CGROUP2_MAGIC;
  } catch {
    return false;
  }
}

/** An initramfs that did not switch its root cannot be exchanged by pivot_root(2). */
function isRootOfKernel(): boolean {
  const root = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  return root.findLast(([, place]) => place === '/')?.[2] === 'rootfs';
}

/** Returns false while the container has no first process. */
function signalFirst(pidFile: string, name = 'SIGTERM'): boolean {
  const known: Readonly<Record<string, number>> = constants.signals;
  const full = name.startsWith('SIG') ? name : `SIG${name}`;
  const number = /^\d{1,2}$/.test(name) ? Number(name) : (known[full] ?? constants.signals.SIGTERM);
  const pid = Number(readOr(pidFile, ''));
  if (!(pid > 1)) return false;
  try {
    process.kill(pid, number);
  } catch {
    // It has ended.
  }
  return true;
}
