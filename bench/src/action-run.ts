/**
 * Runs an action as the agent in the in-memory OS does: with the bundled agent, in a separate process,
 * controlled by messages.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ACTION_FLAGS, RUN_ACTION_ARGUMENT } from '@tinkerbell/app-agent';
import { giveOrder } from '@tinkerbell/app-agent/testing/built-in-order';
import { bundleAgent } from '@tinkerbell/hook';

import type { BenchContext } from './benchmark.ts';
import type { NetworkNamespace } from './network-namespace.ts';
import { processorSeconds, startProgram } from './running-program.ts';

export interface ActionRun {
  /** From the start of the process to its end. */
  readonly seconds: number;
  /** The action's own output. */
  readonly message: string;
  /** The most memory that its process had, in MB (10^6 bytes). */
  readonly peakMegabytes: number;
  /** Of its process, with the programs that it started. */
  readonly processorSeconds: number;
}

const MEMORY_READ_MS = 20;

export type ActionRunner = (
  image: string,
  environment: Readonly<Record<string, string>>,
  network?: NetworkNamespace,
) => Promise<ActionRun>;

/** @throws Error with the action's message when it does not succeed. */
export async function createActionRunner(context: BenchContext): Promise<ActionRunner> {
  const directory = join(context.directory, 'agent');
  mkdirSync(directory);
  for (const { name, content } of await bundleAgent()) writeFileSync(join(directory, name), content);
  const agent = join(directory, 'agent.mjs');
  return async (image, environment, network) => {
    const startedMs = performance.now();
    const command = [process.execPath, ...ACTION_FLAGS, agent, RUN_ACTION_ARGUMENT] as const;
    const program = startProgram(context, { command: [...command], channel: true, network });
    let peakMegabytes = 0;
    let processor = 0;
    // The kernel keeps the peak and the time, so only what is used after the last reading is missed.
    const read = (): void => {
      peakMegabytes = Math.max(peakMegabytes, peakMemory(program.pid));
      processor = Math.max(processor, processorTime(program.pid));
    };
    const reading = setInterval(read, MEMORY_READ_MS);
    const resultOf = giveOrder(program.process, { image, environment });
    await program.ended;
    clearInterval(reading);
    const seconds = (performance.now() - startedMs) / 1000;
    const result = resultOf();
    if (result?.ok === true)
      return { seconds, message: result.message, peakMegabytes, processorSeconds: processor };
    throw new Error(`${image}: ${result?.error ?? program.output()}`);
  };
}

/** Returns 0 for a process that has ended. */
function peakMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

/** Returns 0 for a process that has ended. */
function processorTime(pid: number): number {
  try {
    return processorSeconds(pid);
  } catch {
    return 0;
  }
}
