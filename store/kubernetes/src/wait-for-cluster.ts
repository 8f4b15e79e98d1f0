/** Waits until a cluster is reachable and has what a server needs. */
import { delay, PlatformError, type Clock, type Log, type Random } from '@tinkerbell/platform-contract';
import { retryDelayMs } from './retry-delay.ts';

export interface WaitForClusterOptions {
  /** The reason why it cannot be used yet, or undefined when it can. */
  readonly problem: () => Promise<string | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called with each new reason. */
  readonly onWaiting: (reason: string) => void | Promise<void>;
}

/** Checks repeatedly, at least every five seconds. Rejects with a PlatformError when the signal aborts before. */
export async function waitForCluster(options: WaitForClusterOptions): Promise<void> {
  const { problem, clock, random, log, signal, onWaiting } = options;
  let last: string | undefined;
  for (let failures = 1; ; failures += 1) {
    const reason = await problem();
    if (reason === undefined) break;
    if (reason !== last) {
      log.warn('waiting for the cluster', { reason });
      await onWaiting(reason);
    }
    last = reason;
    await delay(clock, retryDelayMs({ failures, fraction: random.fraction() }), signal);
    if (signal.aborted)
      throw new PlatformError('unavailable', `stopped while waiting for the cluster: ${reason}`);
  }
  if (last !== undefined) log.info('the cluster has what the server needs', {});
}
