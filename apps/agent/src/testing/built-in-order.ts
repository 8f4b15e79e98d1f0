/** For programs that run an action as the agent does, in a process of its own, without the agent. */
import type { ChildProcess } from 'node:child_process';
import type { ActionResult, Environment, Progress } from '@tinkerbell/action-kit';
import { runnerMessageIn } from '../action-messages.ts';

export interface BuiltInOrder {
  readonly image: string;
  readonly environment: Environment;
  readonly onProgress?: (progress: Progress) => void;
}

/** Gives the process its order when it is ready. The returned function returns the result, and undefined before there is one. */
export function giveOrder(
  child: ChildProcess,
  { image, environment, onProgress }: BuiltInOrder,
): () => ActionResult | undefined {
  let result: ActionResult | undefined;
  child.on('message', (raw) => {
    const message = runnerMessageIn(raw);
    if (message.kind === 'ready')
      child.send({ image, command: [], environment, execution: { kind: 'built-in' } });
    if (message.kind === 'progress') onProgress?.(message.progress);
    if (message.kind === 'result') result = message.result;
  });
  return () => result;
}
