/** What tests of image2disk need: a server of images, and a clock that skips waits. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { ActionContext } from '@tinkerbell/action-kit';

/** `http://127.0.0.1:<port>`, until the test ends. */
export async function serve(context: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Every reading is a second later, so each chunk is worth a progress report, and nothing is retried for long.
 */
export function quickClock(): ActionContext['clock'] {
  let now = 0;
  return {
    nowMs: () => now,
    monotonicMs: () => (now += 1000),
    schedule: (_delayMs, task) => {
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    },
  };
}
