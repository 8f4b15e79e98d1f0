import { Worker } from 'node:worker_threads';
import type { StartDhcpThread } from '../index.ts';

/** A real thread, as the server starts one. */
export const startDhcpThread: StartDhcpThread = ({ report, ended }) => {
  const worker = new Worker(new URL('dhcp-worker.ts', import.meta.url));
  const exited = (): void => ended(new Error('it exited'));
  worker.on('message', report).on('exit', exited);
  return {
    order: (order) => worker.postMessage(order, []),
    async end() {
      worker.off('exit', exited);
      await worker.terminate();
    },
  };
};
