import type { Duplex } from 'node:stream';
import type { Clock } from '@tinkerbell/platform-contract';

/** A console may be silent for as long as nobody types. */
const IDLE_MS = 3_600_000;

/**
 * Joins the connections of a client and an upstream, at the speed of the slower one. Resolves with the bytes of the upstream when
 * either has ended, or both were silent for an hour.
 */
export function relayWebSocket(
  client: Duplex,
  upstream: Duplex,
  clock: Pick<Clock, 'schedule' | 'monotonicMs'>,
): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    let heardMs = clock.monotonicMs();
    const heard = (): void => {
      heardMs = clock.monotonicMs();
    };
    const end = (): void => {
      cancel();
      client.destroy();
      upstream.destroy();
      resolve(bytes);
    };
    const look = (): void => {
      const leftMs = heardMs + IDLE_MS - clock.monotonicMs();
      if (leftMs <= 0) end();
      else cancel = clock.schedule(leftMs, look);
    };
    let cancel = clock.schedule(IDLE_MS, look);
    for (const side of [client, upstream]) {
      side.on('data', heard);
      side.on('error', end);
      side.once('close', end);
    }
    upstream.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
}
