/**
 * The program of an action's image: runs one action with the environment as its variables, as upstream's images do.
 * The first argument is the action, and the rest is the template's `command`.
 */
import { readlinkSync } from 'node:fs';

import {
  changeMachineState,
  runProgram,
  type Action,
  type ActionContext,
  type ActionResult,
  type Environment,
  type MachineEffect,
  type Progress,
} from '@tinkerbell/action-kit';
import type { Clock, Log, LogFields } from '@tinkerbell/platform-contract';

/** As the images of upstream. Its cexec has three classes of failure. */
const FAILED = 1;
const CEXEC_SETTINGS = 20;
const CEXEC_FAILED = 30;
/** The inode of the first process namespace, in every kernel (`PROC_PID_INIT_INO`). */
const MACHINE_PROCESSES = 'pid:[4026531836]';
/** Time limit for flushing disks before a restart. */
const SYNC_LIMIT_MS = 30_000;

export interface NamedAction {
  readonly action: Action;
  readonly command: readonly string[];
  readonly environment: Environment;
}

export interface ActionSurroundings {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
}

/** Runs the action and returns its exit code. */
export async function runNamedAction(
  { action, command, environment }: NamedAction,
  { clock, signal, out, error }: ActionSurroundings,
): Promise<number> {
  const context: ActionContext = {
    log: lineLog({ out, error }),
    clock,
    signal,
    command,
    progress: (progress) => out(progressLine(progress)),
  };
  const result = await action.run(environment, context);
  if (!result.ok) {
    error(result.error);
    return exitCodeOf(action.name, result);
  }
  out(result.message);
  if (result.afterReport === undefined) return 0;
  const problem = await changeMachine(result.afterReport);
  error(problem);
  return FAILED;
}

export function exitCodeOf(name: string, result: ActionResult): number {
  if (result.ok) return 0;
  if (name !== 'cexec') return FAILED;
  return result.isSettings === true ? CEXEC_SETTINGS : CEXEC_FAILED;
}

/** Returns the reason why the machine has not changed. */
async function changeMachine(effect: MachineEffect): Promise<string> {
  if (!sharesProcesses())
    return `the machine does not ${effect}: in a process namespace of its own the container can only end itself; set pid: host in the action`;
  await runProgram('sync', [], { signal: AbortSignal.timeout(SYNC_LIMIT_MS) }).catch(() => undefined);
  const changed = changeMachineState(effect);
  return `the machine does not ${effect}: ${changed.ok ? 'the kernel continues' : changed.error}`;
}

function sharesProcesses(): boolean {
  try {
    return readlinkSync('/proc/self/ns/pid') === MACHINE_PROCESSES;
  } catch {
    return false;
  }
}

export function progressLine({ message, doneBytes, totalBytes }: Progress): string {
  if (doneBytes === undefined) return message;
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  if (totalBytes === undefined || totalBytes === 0) return `${message}: ${megabytes(doneBytes)} MB`;
  const percent = Math.floor((100 * doneBytes) / totalBytes);
  return `${message}: ${percent} % (${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB)`;
}

/** One line for each message. Warnings and errors are sent to standard error. */
function lineLog(output: Pick<ActionSurroundings, 'out' | 'error'>, fixed: LogFields = {}): Log {
  const text = (message: string, fields: LogFields = {}): string => {
    const pairs = Object.entries({ ...fixed, ...fields }).map(
      ([name, value]) => ` ${name}=${value instanceof Error ? value.message : JSON.stringify(value)}`,
    );
    return message + pairs.join('');
  };
  return {
    debug() {},
    info: (message, fields) => output.out(text(message, fields)),
    warn: (message, fields) => output.error(text(message, fields)),
    error: (message, fields) => output.error(text(message, fields)),
    child: (fields) => lineLog(output, { ...fixed, ...fields }),
  };
}
