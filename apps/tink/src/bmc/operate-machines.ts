/** Runs one operation on many machines, a few at once, and prints a line for each. */
import { eachAtOnce } from '@tinkerbell/platform-contract';
import type { Command } from 'commander';
import { sessionOf } from '../command-line/command-line.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';
import { progressLine } from '../output/progress-line.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { chosenMachines, type ChosenMachine } from './chosen-machines.ts';
import { runJob, type JobOutcome, type WantedJob } from './run-job.ts';

export interface MachineOptions {
  readonly selector?: string;
  readonly all?: boolean;
  readonly parallel: string;
  readonly timeout: string;
  readonly json?: boolean;
}

export interface MachineOperation extends Omit<WantedJob, 'timeoutSeconds'> {
  /** `power off`, for the lines. */
  readonly title: string;
}

const PARALLEL_MAX = 256;

export function withMachineOptions(command: Command): Command {
  return command
    .option('-l, --selector <labels>', 'all machines with these labels: a=b,c!=d')
    .option('--all', 'all machines of the namespace that have a BMC')
    .option('--parallel <n>', 'machines at the same time', '16')
    .option('--timeout <time>', 'time limit for each machine: 90s, 10m', '12m')
    .option('--json', 'print one JSON line for each machine');
}

/** Throws a failure when the operation failed on a machine. The others go their way. */
export async function operateMachines(
  { command, terminal }: { readonly command: Command; readonly terminal: Terminal },
  names: readonly string[],
  operation: MachineOperation,
): Promise<void> {
  const options = command.opts<MachineOptions>();
  const timeoutSeconds = secondsOf('--timeout', options.timeout);
  const parallel = parallelOf(options.parallel);
  const session = await sessionOf(command, terminal);
  const { selector, all = false } = options;
  const machines = await chosenMachines(session, { names, selector, all });
  const progress = progressLine(terminal, operation.title, machines.length);
  const failed: string[] = [];
  let done = 0;
  await eachAtOnce(machines, parallel, async (machine) => {
    const outcome = await runJob(session, machine, { ...operation, timeoutSeconds });
    progress((done += 1));
    terminal.out(lineOf(machine, operation, { outcome, json: options.json === true }));
    if (!outcome.ok) failed.push(machine.hardware.metadata.name);
  });
  if (failed.length === 0) return;
  throw new TinkFailure(`${operation.title} failed on ${failed.length} of ${machines.length} machines`, {
    advice: `see why with: tink get jobs.bmc.tinkerbell.org, or: tink events --machine ${failed[0]}`,
  });
}

function parallelOf(text: string): number {
  const parallel = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (parallel >= 1 && parallel <= PARALLEL_MAX) return parallel;
  throw usageFailure(`--parallel must be a number from 1 to ${PARALLEL_MAX}, not ${JSON.stringify(text)}`);
}

function lineOf(
  { hardware, bmc }: ChosenMachine,
  { title }: MachineOperation,
  { outcome, json }: { readonly outcome: JobOutcome; readonly json: boolean },
): string {
  const { ok, message } = outcome;
  const { name } = hardware.metadata;
  if (json) return `${JSON.stringify({ hardware: name, machine: bmc, operation: title, ok, message })}\n`;
  const result = ok ? message || 'done' : `failed: ${message}`;
  return `${name}: ${title}: ${printable(result)}\n`;
}
