import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Datagram } from '@tinkerbell/platform-contract';
import { nodeUdp } from './udp.ts';

const skip = process.platform === 'linux' ? false : 'needs Linux';
const CLIENTS = 40;

function failing(error: Error): never {
  throw error;
}

async function freePort(): Promise<number> {
  await using socket = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    { onDatagram() {}, onError: failing },
  );
  return socket.local.port;
}

function listen(port: number, onDatagram: (datagram: Datagram) => void) {
  return nodeUdp.open({ port, address: '127.0.0.1', isLockStep: true }, { onDatagram, onError: failing });
}

test('a listener receives every datagram, and answers from its port', { skip }, async () => {
  const port = await freePort();
  await using listener = await listen(port, ({ bytes, peer }) => listener.send(bytes, peer));
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, index) => {
      const { promise, resolve } = Promise.withResolvers<Datagram>();
      await using client = await nodeUdp.open(
        { port: 0, address: '127.0.0.1' },
        { onDatagram: ({ bytes, ...rest }) => resolve({ bytes: bytes.slice(), ...rest }), onError: failing },
      );
      client.send(Uint8Array.of(index), { address: '127.0.0.1', port });
      const { bytes, peer } = await promise;
      return `${bytes[0]} from ${peer.port}`;
    }),
  );
  assert.deepEqual(
    answers,
    Array.from({ length: CLIENTS }, (_, index) => `${index} from ${port}`),
  );
});

test(
  'a second listener on the port is rejected as in use, and a closed one frees the port',
  { skip },
  async () => {
    const port = await freePort();
    const first = await listen(port, () => {});
    await assert.rejects(
      listen(port, () => {}),
      /UDP port \d+ is in use/,
    );
    await first.close();
    const second = await listen(port, () => {});
    await second.close();
  },
);
