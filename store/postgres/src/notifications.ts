/** Wakes the readers of a table that other servers write: at each notification, and periodically without one. */
import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Database } from './database.ts';

/** The maximum delay of a change where notifications do not arrive, as behind a connection pooler. */
const LOOK_EVERY_MS = 1_000;
const RECONNECT_MS = [100, 500, 1_000, 5_000] as const;

export interface NotificationsOptions {
  readonly database: Database;
  readonly channel: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Also called after a lost connection was replaced. The text is empty when the period has passed. */
  readonly wake: (text: string) => void;
}

/** Starts at once. The first notification may be missed, and the periodic check finds it. Returns the function that stops it. */
export function followNotifications(options: NotificationsOptions): { stop(): Promise<void> } {
  const { clock, wake } = options;
  let isStopped = false;
  let end: () => Promise<void> = () => Promise.resolve();
  let cancelReconnect = (): void => undefined;
  let cancelLook = (): void => undefined;
  let failures = 0;

  function look(): void {
    cancelLook = clock.schedule(LOOK_EVERY_MS, () => {
      wake('');
      look();
    });
  }

  function lost(thrown: unknown): void {
    if (isStopped) return;
    const waitMs = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 0;
    failures += 1;
    if (failures === 1)
      options.log.warn('PostgreSQL connection lost; connecting again', { error: String(thrown) });
    cancelReconnect = clock.schedule(waitMs, () => void listen());
  }

  async function listen(): Promise<void> {
    try {
      const client = await options.database.connect();
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      end = () => client.end();
      if (isStopped) {
        await client.end();
        return;
      }
      client.on('notification', ({ payload = '' }) => wake(payload));
      await client.query(`listen ${options.channel}`);
      if (failures > 0) options.log.info('PostgreSQL connection is back');
      failures = 0;
      wake('');
      void ended.then(() => lost('connection ended'));
    } catch (thrown) {
      lost(thrown);
    }
  }

  look();
  const first = listen();
  return {
    async stop() {
      isStopped = true;
      cancelLook();
      cancelReconnect();
      await first;
      await end().catch(() => undefined);
    },
  };
}
