/** Waits for an operation that a service continues after its answer (DSP0266, section "Asynchronous operations"). */
import { delay, type Clock } from '@tinkerbell/platform-contract';
import { idOf, taskOf, type RedfishTask } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import type { Reply, Send } from './redfish-exchange.ts';

interface TaskService {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  exchange(send: Send): Promise<Reply>;
  refusal(send: Send, reply: Reply): BmcError;
}

const ACCEPTED = 202;
const LOOK_MS = 500;

/**
 * Resolves when the task is complete, or at once when the answer has no task. Rejects with `rejected` when the task fails, and with
 * `timed-out` when it does not end within the limit of a request.
 */
export async function waitForTask(service: TaskService, answer: Reply): Promise<void> {
  const monitor = answer.status === ACCEPTED ? (answer.location ?? idOf(answer.body)) : undefined;
  if (monitor === undefined) return;
  const endMs = service.clock.monotonicMs() + service.timeoutMs;
  while (await isRunning(service, monitor)) {
    if (service.clock.monotonicMs() >= endMs)
      throw new BmcError('timed-out', `the task ${monitor} did not end within ${service.timeoutMs} ms`);
    await delay(service.clock, LOOK_MS, service.signal);
  }
}

async function isRunning(service: TaskService, path: string): Promise<boolean> {
  const send: Send = { method: 'GET', path };
  const reply = await service.exchange(send);
  // Services remove the monitor of a task that has ended.
  if (reply.status === 404 || reply.status === 410) return false;
  if (reply.status >= 300) throw service.refusal(send, reply);
  const task = taskOf(reply.body);
  if (task?.outcome === 'failed') throw new BmcError('rejected', failureText(path, task));
  return task === undefined ? reply.status === ACCEPTED : task.outcome === 'running';
}

function failureText(path: string, { state, messages }: RedfishTask): string {
  const texts = messages.map(({ text }) => text).filter((text) => text !== '');
  return `the task ${path} ended as ${state}${texts.length === 0 ? '' : `: ${texts.join('; ')}`}`;
}
