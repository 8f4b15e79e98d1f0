import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

import type { Log } from '@tinkerbell/platform-contract';

import { ActionError } from './action.ts';

/** The length of a program's last output in an error message. */
const OUTPUT_TAIL_CHARACTERS = 1000;

/** A program that ignores SIGTERM is killed after this time. A stopped action has one second in all. */
const KILL_GRACE_MS = 500;
/** A killed program that waits for a disk does not end. This is the longest wait for it. */
const UNKILLABLE_MS = 250;
/**
 * Processes that a program left behind may hold its output open for ever. After its end the rest is read for
 * this time.
 */
const DRAIN_MS = 1000;

export interface ProgramOptions {
  readonly signal: AbortSignal;
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** Called with each line of output as it arrives. */
  readonly log?: Log;
  /** What the program reads as its standard input (default: nothing). Secrets are passed here. */
  readonly input?: Uint8Array;
  /** Called with each chunk of standard output, for programs whose whole output is needed. */
  readonly onStdout?: (chunk: Buffer) => void;
}

export interface ProgramResult {
  readonly code: number;
  /** The end of standard output and error, in order of arrival. */
  readonly output: string;
}

/**
 * Runs a program without a shell until it ends.
 *
 * @throws ActionError when the program does not exist, or when the signal aborts.
 */
export function runProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    let output = '';
    const child = startProgram(command, args, options);
    const collect = (chunk: Buffer): void => {
      const text = chunk.toString();
      output = (output + text).slice(-OUTPUT_TAIL_CHARACTERS * 4);
      for (const line of text.split('\n')) if (line.trim() !== '') options.log?.info(line);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);

    const timers: NodeJS.Timeout[] = [];
    const later = (milliseconds: number, task: () => void): void =>
      void timers.push(setTimeout(task, milliseconds));
    const closeOutput = (): void => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const stopped = (): void => reject(new ActionError(`${command} was stopped at the timeout`));
    const stop = (): void => {
      signalGroup(child.pid, 'SIGTERM');
      later(KILL_GRACE_MS, () => signalGroup(child.pid, 'SIGKILL'));
      later(KILL_GRACE_MS + UNKILLABLE_MS, () => {
        closeOutput();
        child.unref();
        stopped();
      });
    };
    options.signal.addEventListener('abort', stop, { once: true });
    if (options.signal.aborted) stop();
    const settle = (): void => {
      for (const timer of timers) clearTimeout(timer);
      options.signal.removeEventListener('abort', stop);
    };
    child.on('error', (cause: NodeJS.ErrnoException) => {
      settle();
      const missing = cause.code === 'ENOENT' ? 'there is no such program' : cause.message;
      reject(new ActionError(`cannot run ${command}: ${missing}`, { cause }));
    });
    child.on('exit', () => later(DRAIN_MS, closeOutput));
    child.on('close', (code, signal) => {
      settle();
      if (options.signal.aborted) stopped();
      else resolve({ code: code ?? 128 + (signal === null ? 0 : 1), output });
    });
  });
}

function startProgram(
  command: string,
  args: readonly string[],
  { directory, environment, input, onStdout }: ProgramOptions,
): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, {
    ...(directory === undefined ? {} : { cwd: directory }),
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // A program that does not read its input closes it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  if (onStdout !== undefined) child.stdout.on('data', onStdout);
  return child;
}

/** Like `runProgram`, for programs that must succeed. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string> {
  const { code, output } = await runProgram(command, args, options);
  if (code === 0) return output;
  const tail = output.trim().slice(-OUTPUT_TAIL_CHARACTERS);
  throw new ActionError(`${[command, ...args].join(' ')} ended with ${code}: ${tail || 'no output'}`);
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}
