/** Runs the load of the gateway benchmarks in a process of its own. */
import { fileURLToPath } from 'node:url';

import type { BenchContext } from './benchmark.ts';
import type { CallPlan, ReaderPlan } from './gateway-load-client.ts';
import { startProgram } from './running-program.ts';

const CLIENT = fileURLToPath(new URL('gateway-load-client.ts', import.meta.url));

export interface LoadAnswer<Answer> {
  readonly answer: Answer;
  /** Ends the load, which may still have connections. */
  stop(): Promise<void>;
}

export async function gatewayLoad<Answer>(
  context: BenchContext,
  plan: CallPlan | ReaderPlan,
): Promise<LoadAnswer<Answer>> {
  const program = startProgram(context, { command: [process.execPath, CLIENT], channel: true });
  const answer = new Promise<Answer>((resolve, reject) => {
    program.process.once('message', (message) => resolve(message as Answer));
    void program.ended.then((code) => reject(new Error(`the load ended with ${code}: ${program.output()}`)));
  });
  program.process.send(plan);
  return { answer: await answer, stop: () => program.stop() };
}
