/**
 * Runs an action in a process of its own: what kills the action leaves the agent alive to report it. See
 * docs/decisions/0003-agent-packaging.md for what that costs.
 */
import { fork, type ChildProcess } from 'node:child_process';

import type { ActionResult, Progress } from '@tinkerbell/action-kit';
import type { Clock, Log } from '@tinkerbell/platform-contract';

import type { ActionOrder, RunnerMessage } from './action-runner.ts';
import { RUN_ACTION_ARGUMENT } from './run-action-argument.ts';

/** An action that ignores its timeout is killed after this. */
const KILL_GRACE_MS = 5000;
/** Lines of a crashed action's output that its report carries. */
const OUTPUT_LINES_KEPT = 20;

export type ActionOutcome = ActionResult | { readonly ok: 'timeout' };

export interface ActionProcessOptions {
  readonly order: ActionOrder;
  /** 0: no limit. */
  readonly timeoutSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
  onProgress(progress: Progress): void;
}

/** Resolves when the process has ended; never rejects. */
export function runInProcess(options: ActionProcessOptions): Promise<ActionOutcome> {
  const child = fork(process.argv[1] ?? '', [RUN_ACTION_ARGUMENT], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const output = keepLastLines(child, options.log);
  let result: ActionResult | undefined;
  let timedOut = false;
  const cancelTimers = limitTime(child, options, () => {
    timedOut = true;
  });
  child.on('message', (raw) => {
    const message = raw as RunnerMessage;
    if (message.kind === 'ready') child.send(options.order);
    if (message.kind === 'progress') options.onProgress(message.progress);
    if (message.kind === 'log') options.log[message.level](message.message, message.fields);
    if (message.kind === 'result') result = message.result;
  });
  return new Promise((resolve) => {
    const finish = (crash: string): void => {
      cancelTimers();
      // What the action started and left behind must not outlive it.
      killGroup(child, 'SIGKILL');
      if (timedOut) resolve({ ok: 'timeout' });
      else resolve(result ?? { ok: false, error: [crash, ...output].join('\n') });
    };
    child.once('error', (error) => finish(`the action could not be started: ${error.message}`));
    child.once('close', (code, signal) => finish(`the action crashed (${signal ?? code})`));
  });
}

function limitTime(child: ChildProcess, options: ActionProcessOptions, onTimeout: () => void): () => void {
  if (options.timeoutSeconds <= 0) return () => undefined;
  let cancelKill: (() => void) | undefined;
  const cancelStop = options.clock.schedule(options.timeoutSeconds * 1000, () => {
    onTimeout();
    killGroup(child, 'SIGTERM');
    cancelKill = options.clock.schedule(KILL_GRACE_MS, () => killGroup(child, 'SIGKILL'));
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

function keepLastLines(child: ChildProcess, log: Log): string[] {
  const lines: string[] = [];
  const take = (chunk: Buffer): void => {
    for (const line of chunk.toString().split('\n').filter(Boolean)) {
      log.info(line);
      lines.push(line);
      if (lines.length > OUTPUT_LINES_KEPT) lines.shift();
    }
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return lines;
}
