/** Sends bodies in thousands of chunks of a few bytes, each of which costs as much as a large one. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';

const BYTES_MAX = 1024 * 1024;
const WAIT_MS_MAX = 500;

const places: readonly string[] = [
  '/phone-home',
  '/v1/registry/peers',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  '/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware',
  '/no/such/place',
];

export const tinyChunks: Attack = {
  name: 'tiny-chunks',
  sends: 'body',
  async once({ url, gatewayUrl }, choice) {
    const { hostname, port } = new URL(choice.of([url, gatewayUrl]));
    const head = `${choice.of(['POST', 'PUT', 'DELETE'])} ${choice.of(places)} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
    const fields = `Content-Type: ${choice.of(['application/json', 'application/yaml', 'a/b'])}\r\n`;
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const closed = once(socket, 'close').catch(() => undefined);
    socket.write(`${head}${fields}Transfer-Encoding: chunked\r\n\r\n`);
    // With the head, or when the server has begun to read.
    if (choice.once(2)) await delay(choice.below(20));
    socket.write(chunks(choice));
    if (choice.once(3)) socket.write('0\r\n\r\n');
    socket.resume();
    await Promise.race([closed, delay(choice.below(WAIT_MS_MAX))]);
    socket.destroy();
  },
};

function chunks(choice: SeededChoice): string {
  const content = choice.of(['a', ' ', '[', '"', '1,']);
  const length = 1 + choice.below(choice.of([2, 100]));
  const extension = choice.of(['', '', ';a=b']);
  const one = `${(content.length * length).toString(16)}${extension}\r\n${content.repeat(length)}\r\n`;
  return one.repeat(1 + Math.floor(choice.below(BYTES_MAX) / one.length));
}
