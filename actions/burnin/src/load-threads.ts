import { Worker } from 'node:worker_threads';

import { ActionError } from '@tinkerbell/action-kit';
import { messageOf } from '@tinkerbell/platform-contract';

import { LOAD_PROGRAM, type WorkerMessage, type WorkerOrder } from './load-worker.ts';

export interface LoadRequest {
  readonly threads: number;
  readonly memoryBytes: number;
  readonly stop: Int32Array;
  readonly signal: AbortSignal;
  readonly fault?: WorkerOrder['fault'];
  /** Called with what a thread has checked. */
  readonly onChecked: (checked: { readonly memoryBytes: number }) => void;
}

/** Resolves when every thread has ended. @throws ActionError with the first wrong result. */
export async function runThreads(request: LoadRequest): Promise<void> {
  const each = Math.floor(request.memoryBytes / request.threads);
  const threads = Array.from({ length: request.threads }, (_, index) => runThread(index, each, request));
  const ended = await Promise.allSettled(threads);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function runThread(index: number, memoryBytes: number, request: LoadRequest): Promise<void> {
  const { stop, fault, signal } = request;
  const order: WorkerOrder = { memoryBytes, stop, ...(fault === undefined ? {} : { fault }) };
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      // The others need not continue.
      Atomics.store(stop, 0, 1);
      reject(new ActionError(`processor thread ${index}: ${reason}`));
    };
    const worker = new Worker(LOAD_PROGRAM, { eval: true, workerData: order });
    const terminate = (): void => void worker.terminate();
    signal.addEventListener('abort', terminate, { once: true });
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'failure') fail(message.error);
      if (message.kind === 'memory') request.onChecked({ memoryBytes: message.bytes });
    });
    worker.once('error', (error) => fail(`cannot continue: ${messageOf(error)}`));
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', terminate);
      if (code === 0 || signal.aborted) resolve();
      else fail(`ended with ${code}`);
    });
  });
}
