/**
 * Runs an action in a process of its own: what kills the action leaves the agent alive to report it. See
 * docs/decisions/0003-agent-packaging.md for what that costs.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

import type { ActionResult, Progress } from '@tinkerbell/action-kit';
import type { Clock, Log } from '@tinkerbell/platform-contract';

import type { ActionOrder, RunnerMessage } from './action-runner.ts';
import { RUN_ACTION_ARGUMENT } from './run-action-argument.ts';

/** An action that ignores its timeout is killed after this; what it runs is killed by it after 5 s. */
const KILL_GRACE_MS = 5500;
/** Lines of a crashed action's output that its report carries. */
const OUTPUT_LINES_KEPT = 20;

export type ActionOutcome =
  | ActionResult
  | { readonly ok: 'timeout' }
  | { readonly ok: 'cancelled'; readonly reason: string };

export interface ActionProcessOptions {
  readonly order: ActionOrder;
  /** Beside what this process has. */
  readonly processEnvironment?: Readonly<Record<string, string>>;
  /** 0: no limit. */
  readonly timeoutSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the action must not go on. */
  readonly cancelled?: AbortSignal;
  onProgress(progress: Progress): void;
  /** Each line of what it writes. */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
}

/** Resolves when the process has ended; never rejects. */
export function runInProcess(options: ActionProcessOptions): Promise<ActionOutcome> {
  const child = fork(process.argv[1] ?? '', [RUN_ACTION_ARGUMENT], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    env: { ...process.env, ...options.processEnvironment },
  });
  const output = keepLastLines(child, options);
  let result: ActionResult | undefined;
  let timedOut = false;
  const cancelTimers = limitTime(child, options, () => {
    timedOut = true;
  });
  const { cancelled } = options;
  const stopFollowing = followCancellation(child, options);
  child.on('message', (raw) => {
    const message = raw as RunnerMessage;
    if (message.kind === 'ready') child.send(options.order);
    if (message.kind === 'progress') options.onProgress(message.progress);
    if (message.kind === 'log') takeLog(message, options);
    if (message.kind === 'result') result = message.result;
  });
  return new Promise((resolve) => {
    const finish = (crash: string): void => {
      cancelTimers();
      stopFollowing();
      // What the action started and left behind must not outlive it.
      killGroup(child, 'SIGKILL');
      if (cancelled?.aborted === true) resolve({ ok: 'cancelled', reason: String(cancelled.reason) });
      else if (timedOut) resolve({ ok: 'timeout' });
      else resolve(result ?? { ok: false, error: [crash, ...output].join('\n') });
    };
    child.once('error', (error) => finish(`the action could not be started: ${error.message}`));
    child.once('close', (code, signal) => finish(`the action crashed (${signal ?? code})`));
  });
}

/** What the programs of an action write arrives as its log. */
function takeLog(
  { level, message, fields }: Extract<RunnerMessage, { kind: 'log' }>,
  { log, onLine }: ActionProcessOptions,
): void {
  log[level](message, fields);
  if (level === 'debug') return;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  onLine?.(level === 'info' ? 'stdout' : 'stderr', message + pairs.join(''));
}

/** Returns the function that ends waiting for it. */
function followCancellation(child: ChildProcess, { cancelled, clock }: ActionProcessOptions): () => void {
  let cancelKill: (() => void) | undefined;
  const stop = (): void => {
    cancelKill = stopGroup(child, clock);
  };
  if (cancelled?.aborted === true) stop();
  cancelled?.addEventListener('abort', stop, { once: true });
  return () => {
    cancelled?.removeEventListener('abort', stop);
    cancelKill?.();
  };
}

function stopGroup(child: ChildProcess, clock: Clock): () => void {
  killGroup(child, 'SIGTERM');
  return clock.schedule(KILL_GRACE_MS, () => killGroup(child, 'SIGKILL'));
}

function limitTime(child: ChildProcess, options: ActionProcessOptions, onTimeout: () => void): () => void {
  if (options.timeoutSeconds <= 0) return () => undefined;
  let cancelKill: (() => void) | undefined;
  const cancelStop = options.clock.schedule(options.timeoutSeconds * 1000, () => {
    onTimeout();
    cancelKill = stopGroup(child, options.clock);
  });
  return () => {
    cancelStop();
    cancelKill?.();
  };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

function keepLastLines(child: ChildProcess, { log, onLine }: ActionProcessOptions): string[] {
  const lines: string[] = [];
  for (const stream of ['stdout', 'stderr'] as const) {
    const readable = child[stream];
    if (readable === null) continue;
    createInterface({ input: readable }).on('line', (line) => {
      if (line === '') return;
      log.info(line);
      onLine?.(stream, line);
      lines.push(line);
      if (lines.length > OUTPUT_LINES_KEPT) lines.shift();
    });
  }
  return lines;
}
