import { Worker } from 'node:worker_threads';
import type { StartDhcpThread } from '@tinkerbell/service-boot';

/** Answers wait for collections, which are short when the young generation is small. With 12 MB, an exchange took as much processor time. */
const YOUNG_MB = 3;
/** Known reservations take 32 MB. */
const OLD_MB = 96;

export const startDhcpThread: StartDhcpThread = ({ report, ended }) => {
  const worker = new Worker(new URL('dhcp-worker.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: OLD_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    // The server's own flags (a heap limit, an inspector) do not apply to this thread.
    execArgv: [],
  });
  let failure: unknown = new Error('it exited');
  worker.on('message', report);
  worker.on('error', (error) => {
    failure = error;
  });
  worker.on('exit', () => ended(failure instanceof Error ? failure : new Error(String(failure))));
  return {
    order: (order) => worker.postMessage(order, []),
    async end() {
      worker.removeAllListeners('exit');
      await worker.terminate();
    },
  };
};
