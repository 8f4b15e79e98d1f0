/** Sends many short requests in one piece, on connections that read all answers, none, or are dropped at once. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.ts';

/** A read of the server's has 64 KiB. */
const BYTES_MAX = 3 * 64 * 1024;
const WAIT_MS_MAX = 200;

const targets: readonly string[] = [
  '/',
  '/healthz',
  '/images/none',
  '/2009-04-04/meta-data',
  '/api/v1/pods',
  '//',
];

export const pipelinedRequests: Attack = {
  name: 'pipelined-requests',
  sends: 'request',
  async once({ url, gatewayUrl }, choice) {
    const { hostname, port } = new URL(choice.of([url, gatewayUrl]));
    const request = (): string => {
      const method = choice.of(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'X', 'POST']);
      const end = method === 'POST' ? 'Content-Length: 1\r\n\r\na' : '\r\n';
      return `${method} ${choice.of(targets)} HTTP/1.1\r\nHost: ${choice.of(['a', hostname])}\r\n${end}`;
    };
    const same = choice.once(2) ? request() : undefined;
    let text = '';
    for (const length = 1 + choice.below(BYTES_MAX); text.length < length;) text += same ?? request();
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const closed = once(socket, 'close').catch(() => undefined);
    socket.write(text);
    if (choice.once(2)) socket.resume();
    await Promise.race([closed, delay(choice.below(WAIT_MS_MAX))]);
    if (choice.once(2)) socket.resetAndDestroy();
    else socket.destroy();
  },
};
