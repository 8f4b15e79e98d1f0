import { Worker } from 'node:worker_threads';
import type { StartDhcpThread } from '@tinkerbell/service-boot';

/** Its garbage is short-lived, and does not grow old in a young generation of this size. With 2 MB, an exchange took 15 % more time. */
const YOUNG_MB = 12;
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
