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
  /** Aborted when the server begins to stop. */
  readonly signal: AbortSignal;
}

/** How often the state is checked for a manager without a watchdog. */
const CHECK_MS = 15_000;

/**
 * Reports readiness now, and then twice within the time of the watchdog that the server is alive. A manager restarts a server that
 * does not report. Only one that hangs does not: a failed check is shown, because a server whose disk is full still answers packets,
 * and would not start again.
 */
export function reportState(server: ReportedServer): void {
  const { manager, clock, failures, readyText, signal } = server;
  let shown = readyText;
  const show = (text: string): void => {
    if (text !== shown) manager.notify({ STATUS: text });
    shown = text;
  };
  const check = async (): Promise<void> => {
    const failed = await failures();
    if (signal.aborted) return;
    show(failed.length === 0 ? readyText : `not ready: ${failed.join('; ')}`);
    if (manager.watchdogMs !== undefined) manager.notify({ WATCHDOG: '1' });
  };
  manager.notify({ READY: '1', STATUS: readyText });
  const stop = (): void => manager.notify({ STOPPING: '1', STATUS: 'stopping' });
  if (signal.aborted) return stop();
  signal.addEventListener('abort', stop, { once: true });
  const everyMs = manager.watchdogMs === undefined ? CHECK_MS : manager.watchdogMs / 2;
  repeat(clock, { everyMs, signal }, check);
}
