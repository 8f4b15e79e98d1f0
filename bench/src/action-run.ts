/**
 * Runs an action as the agent in the in-memory OS does: with the bundled agent, in a separate process,
 * controlled by messages.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { bundleAgent } from '@tinkerbell/hook';

import type { BenchContext } from './benchmark.ts';
import { startProgram } from './running-program.ts';

export interface ActionRun {
  /** From the start of the process to its end. */
  readonly seconds: number;
  /** The action's own output. */
  readonly message: string;
}

interface RunnerMessage {
  readonly kind: string;
  readonly result?: { readonly ok: boolean; readonly message?: string; readonly error?: string };
}

export type ActionRunner = (
  image: string,
  environment: Readonly<Record<string, string>>,
) => Promise<ActionRun>;

/** @throws Error with the action's message when it does not succeed. */
export async function createActionRunner(context: BenchContext): Promise<ActionRunner> {
  const directory = join(context.directory, 'agent');
  mkdirSync(directory);
  for (const { name, content } of await bundleAgent()) writeFileSync(join(directory, name), content);
  const agent = join(directory, 'agent.mjs');
  return async (image, environment) => {
    const startedMs = performance.now();
    const command = [process.execPath, '--disable-warning=ExperimentalWarning', agent, 'run-action'] as const;
    const program = startProgram(context, { command: [...command], channel: true });
    let result: RunnerMessage['result'];
    program.process.on('message', (raw) => {
      const message = raw as RunnerMessage;
      if (message.kind === 'ready') program.process.send({ image, command: [], environment });
      if (message.kind === 'result') result = message.result;
    });
    await program.ended;
    const seconds = (performance.now() - startedMs) / 1000;
    if (result?.ok === true) return { seconds, message: result.message ?? '' };
    throw new Error(`${image}: ${result?.error ?? program.output()}`);
  };
}
