import { spawn, type ChildProcess } from 'node:child_process';

/** A process that ignores SIGTERM is killed after this time. */
const KILL_GRACE_MS = 3000;

export interface RunningChild {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Resolves with its exit code or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Sends SIGTERM, then kills it. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a program that cannot outlive this one, because the kernel kills it when this process is gone,
 * however it ended. Its standard input is closed unless it is a pipe, and its output goes through pipes.
 *
 * @throws Error when the program cannot be started.
 */
export async function startChild(
  command: string,
  args: readonly string[],
  { stdin = 'ignore' }: { readonly stdin?: 'ignore' | 'pipe' } = {},
): Promise<RunningChild> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], {
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(new Error(`cannot start ${command}`, { cause })));
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
