/** Runs programs under test and their tools. None outlives this process, however it ends. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { CannotRun, type BenchContext } from './benchmark.ts';

const KILL_GRACE_MS = 3000;
const OUTPUT_CHARACTERS_KEPT = 200_000;
/**
 * The ticks per second of the scheduler clock in /proc. Linux shows 100 to programs on every architecture.
 */
const TICKS_PER_SECOND = 100;

interface NetworkPlace {
  /** Its network namespace's file below /proc, for nsenter. */
  readonly path: string;
}

export interface ProgramOptions {
  readonly command: readonly [string, ...string[]];
  /** The network namespace in which it runs (default: this process's own). */
  readonly network?: NetworkPlace | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** True: opens a channel for messages to and from a Node program. */
  readonly channel?: boolean;
}

export interface RunningProgram {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Returns the end of its output. */
  output(): string;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Sends SIGTERM, then kills it. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Folders in which Debian keeps servers, and Go's own installer keeps Go, and which may be missing from a
 * user's PATH.
 */
const DIRECTORIES = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/sbin',
  '/sbin',
  '/usr/local/go/bin',
];

/** Returns the path of the first of `names` that is installed. */
export function findProgram(...names: readonly string[]): string | undefined {
  return names
    .flatMap((name) => DIRECTORIES.map((directory) => join(directory, name)))
    .find((path) => existsSync(path));
}

/** @throws CannotRun that names the Debian package. */
export function needProgram(name: string, debianPackage: string): string {
  const found = findProgram(name);
  if (found !== undefined) return found;
  throw new CannotRun(`${name} is not installed: apt-get install --no-install-recommends ${debianPackage}`);
}

/**
 * Starts a program that the kernel kills when this process is gone. It is stopped at the end of the scope.
 */
export function startProgram(context: Pick<BenchContext, 'scope'>, options: ProgramOptions): RunningProgram {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...entering(options.network), ...options.command], {
    stdio: ['ignore', 'pipe', 'pipe', ...(options.channel === true ? (['ipc'] as const) : [])],
    env: { ...process.env, LC_ALL: 'C', ...options.environment },
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_KEPT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const running: RunningProgram = {
    process: child,
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
  context.scope.defer(() => running.stop());
  return running;
}

export interface ProgramRun {
  readonly output: string;
  readonly code: number | string;
  readonly seconds: number;
}

/** Runs a program to its end, whatever its exit code. */
export async function runProgram(
  context: Pick<BenchContext, 'scope'>,
  options: ProgramOptions,
): Promise<ProgramRun> {
  const startedMs = performance.now();
  const program = startProgram(context, options);
  const code = await program.ended;
  return { code, output: program.output(), seconds: (performance.now() - startedMs) / 1000 };
}

/** Like runProgram. @throws Error with the program's output when it fails. */
export async function mustRun(
  context: Pick<BenchContext, 'scope'>,
  options: ProgramOptions,
): Promise<ProgramRun> {
  const run = await runProgram(context, options);
  if (run.code === 0) return run;
  throw new Error(`${options.command.join(' ')} ended with ${run.code}: ${run.output.trim().slice(-1000)}`);
}

/**
 * Resolves when `isReady` returns true. It is called every `everyMs`.
 *
 * @throws Error with the program's output when it ends, or after 30 seconds.
 */
export async function untilReady(
  program: RunningProgram,
  isReady: () => boolean | Promise<boolean>,
  everyMs = 20,
): Promise<void> {
  let end: number | string | undefined;
  void program.ended.then((code) => {
    end = code;
  });
  const deadline = performance.now() + 30_000;
  while (!(await isReady())) {
    if (end !== undefined || performance.now() > deadline) {
      throw new Error(`${program.process.spawnargs.join(' ')} does not start: ${program.output().trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Starts a server that prints its URL. Resolves when it has. */
export async function startPrinting(
  context: Pick<BenchContext, 'scope'>,
  command: readonly [string, ...string[]],
): Promise<{ readonly url: string; readonly pid: number }> {
  const program = startProgram(context, { command });
  const url = (): string | undefined => /https?:\S+/.exec(program.output())?.[0];
  await untilReady(program, () => url() !== undefined);
  return { url: url() ?? '', pid: program.pid };
}

/** Returns the processor time of a process so far in seconds, with its children that have ended. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}

const IDLE_MS = { quick: 5000, whole: 45_000 } as const;

/**
 * Waits until a server that has little to do has returned the memory of its start or of a load: it looks each 10 s, needs two such periods
 * after the one in which the load ended, and then joins what is left, which takes another 8 s.
 */
export function untilIdle({ quick }: Pick<BenchContext, 'quick'>): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, quick ? IDLE_MS.quick : IDLE_MS.whole));
}

/** Returns the resident memory of a process in MB (10^6 bytes). */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) * 1024) / 1e6;
}

function entering(network: NetworkPlace | undefined): string[] {
  return network === undefined ? [] : ['nsenter', `--net=${network.path}`, '--'];
}
