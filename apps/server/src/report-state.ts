/** Reports to the service manager when the server is ready, whether it is alive, and when it stops. */
import { repeat, type Clock } from '@tinkerbell/platform-contract';
import type { ServiceManager } from '@tinkerbell/platform-node';

export interface ReportedServer {
  readonly manager: Pick<ServiceManager, 'notify' | 'watchdogMs'>;
  readonly clock: Clock;
  /** Returns the failed checks of `/readyz`. */
  readonly failures: () => Promise<readonly string[]>;
  /** What `systemctl status` shows while no check fails. */
  readonly readyText: string;
  /** The objects are in a database on another machine. */
  readonly isStoreRemote: boolean;
  /** Aborted when the server begins to stop. */
  readonly signal: AbortSignal;
}

/** How often the state is checked for a manager without a watchdog. */
const CHECK_MS = 15_000;

/**
 * Reports readiness now, and then twice within the time of the watchdog that the server is alive. A manager restarts a server that
 * does not report. A restart does not repair a database on another machine, so with such a store only an event loop that hangs
 * leads to one.
 */
export function reportState(server: ReportedServer): void {
  const { manager, clock, failures, readyText, isStoreRemote, signal } = server;
  let shown = readyText;
  const show = (text: string): void => {
    if (text !== shown) manager.notify({ STATUS: text });
    shown = text;
  };
  const check = async (): Promise<void> => {
    const failed = await failures();
    if (signal.aborted) return;
    show(failed.length === 0 ? readyText : `not ready: ${failed.join('; ')}`);
    if (manager.watchdogMs !== undefined && (failed.length === 0 || isStoreRemote))
      manager.notify({ WATCHDOG: '1' });
  };
  manager.notify({ READY: '1', STATUS: readyText });
  const stop = (): void => manager.notify({ STOPPING: '1', STATUS: 'stopping' });
  if (signal.aborted) return stop();
  signal.addEventListener('abort', stop, { once: true });
  const everyMs = manager.watchdogMs === undefined ? CHECK_MS : manager.watchdogMs / 2;
  repeat(clock, { everyMs, signal }, check);
}
