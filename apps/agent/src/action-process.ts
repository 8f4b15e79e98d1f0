/**
 * Runs an action in its own process, so that the agent survives a crash of the action and can report it. See
 * docs/decisions/0003-agent-packaging.md for the cost.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

import type { ActionResult, Progress } from '@tinkerbell/action-kit';
import type { Clock, Log } from '@tinkerbell/platform-contract';

import { runnerMessageIn, type ActionOrder, type RunnerMessage } from './action-messages.ts';
import { ACTION_FLAGS, RUN_ACTION_ARGUMENT } from './run-action-argument.ts';

/** An action ends itself and its children within a second of its timeout. If it does not, it is killed after this time. */
const KILL_GRACE_MS = 1500;
/** A container has 5 s after its stop signal. Its image is removed after that. */
const CONTAINER_GRACE_MS = 9000;
/** A killed process that waits for a disk does not end. The agent waits this long, and reports it. */
const UNKILLABLE_MS = 1000;
/** A child of an action may keep its output open forever. The agent reads the rest for this long. */
const DRAIN_MS = 1000;
/** A process that has sent its result but does not end is killed after this time. */
const LINGER_MS = 2000;
/** Lines of output in the report of a crashed action. */
const OUTPUT_LINES_KEPT = 20;

export type ActionOutcome =
  | ActionResult
  | { readonly ok: 'timeout' }
  | { readonly ok: 'cancelled'; readonly reason: string };

export interface ActionProcessOptions {
  readonly order: ActionOrder;
  /** Environment variables added to those of this process. */
  readonly processEnvironment?: Readonly<Record<string, string>>;
  /** 0: no limit. */
  readonly timeoutSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the action must stop. */
  readonly cancelled?: AbortSignal;
  onProgress(progress: Progress): void;
  /** Called with each line of output. */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
}

/** Resolves when the process has ended. Never rejects. */
export function runInProcess(options: ActionProcessOptions): Promise<ActionOutcome> {
  const child = fork(process.argv[1] ?? '', [RUN_ACTION_ARGUMENT], {
    execArgv: [...ACTION_FLAGS],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    env: { ...process.env, ...options.processEnvironment },
  });
  const output = keepLastLines(child, options);
  const timers = createTimers(options.clock);
  let result: ActionResult | undefined;
  let timedOut = false;
  const { cancelled } = options;
  return new Promise((resolve) => {
    let isOver = false;
    const finish = (crash: string): void => {
      if (isOver) return;
      isOver = true;
      timers.cancel();
      cancelled?.removeEventListener('abort', stop);
      // Processes that the action left behind must not outlive it.
      killGroup(child, 'SIGKILL');
      if (cancelled?.aborted === true) resolve({ ok: 'cancelled', reason: String(cancelled.reason) });
      else if (timedOut) resolve({ ok: 'timeout' });
      else resolve(result ?? { ok: false, error: [crash, ...output].join('\n') });
    };
    const kill = (): void => {
      killGroup(child, 'SIGKILL');
      timers.schedule(UNKILLABLE_MS, () =>
        finish('the action cannot be killed, because it is waiting for a disk'),
      );
    };
    const stop = (): void => {
      killGroup(child, 'SIGTERM');
      timers.schedule(graceMs(options), kill);
    };
    child.on('message', (raw) => {
      const message = runnerMessageIn(raw);
      if (message.kind === 'ready') child.send(options.order);
      if (message.kind === 'progress') options.onProgress(message.progress);
      if (message.kind === 'log') takeLog(message, options);
      if (message.kind !== 'result') return;
      result = message.result;
      timers.schedule(LINGER_MS, kill);
    });
    child.once('error', (error) => finish(`the action could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      const crash = `the action crashed (${signal ?? code})`;
      timers.schedule(DRAIN_MS, () => finish(crash));
      child.once('close', () => finish(crash));
    });
    if (options.timeoutSeconds > 0)
      timers.schedule(options.timeoutSeconds * 1000, () => {
        timedOut = true;
        stop();
      });
    cancelled?.addEventListener('abort', stop, { once: true });
    if (cancelled?.aborted === true) stop();
  });
}

function graceMs({ order }: ActionProcessOptions): number {
  return order.execution.kind === 'container' ? CONTAINER_GRACE_MS : KILL_GRACE_MS;
}

/** Tasks that are cancelled together. */
function createTimers(clock: Clock): { schedule(delayMs: number, task: () => void): void; cancel(): void } {
  const cancels: (() => void)[] = [];
  return {
    schedule: (delayMs, task) => void cancels.push(clock.schedule(delayMs, task)),
    cancel: () => cancels.forEach((each) => each()),
  };
}

/** The output of an action's programs arrives as its log. */
function takeLog(
  { level, message, fields }: Extract<RunnerMessage, { kind: 'log' }>,
  { log, onLine }: ActionProcessOptions,
): void {
  log[level](message, fields);
  if (level === 'debug') return;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  onLine?.(level === 'info' ? 'stdout' : 'stderr', message + pairs.join(''));
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process group is already empty.
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
