import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peerOf, PlatformError, type Datagram, type Udp6Socket } from '@tinkerbell/platform-contract';
import { nodeUdp6 } from './index.ts';
import { networkInterfaces } from 'node:os';

const GROUP = 'ff02::1:2';

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'sockets bound to a network interface are Linux only';
  const hasIpv6 = networkInterfaces()['lo']?.some(({ address }) => address === '::1');
  return hasIpv6 === true ? false : 'there is no IPv6 on lo';
}

const fails = (error: Error): never => {
  throw error;
};

// Multicasts do not pass lo: services/boot/src/dhcpv6-interop.test.ts tests them on a veth pair.
test(
  'a socket on a network interface receives, answers, and reports that its port is in use',
  { skip: whyNot() },
  async () => {
    const answered = Promise.withResolvers<Datagram>();
    await using receiver: Udp6Socket = await nodeUdp6.open(
      { port: 0, networkInterface: 'lo', groups: [GROUP] },
      {
        onDatagram: ({ bytes, peer, networkInterface }) => {
          assert.equal(networkInterface, 'lo');
          receiver.send(Uint8Array.of((bytes[0] ?? 0) + 1), peer);
        },
        onError: fails,
      },
    );
    await using sender = await nodeUdp6.open(
      { port: 0, networkInterface: 'lo', groups: [] },
      { onDatagram: (datagram) => answered.resolve(datagram), onError: fails },
    );
    const { port } = receiver.local;
    sender.send(Uint8Array.of(1), { address: '::1', port });
    const answer = await answered.promise;
    assert.deepEqual([answer.bytes[0], answer.peer], [2, peerOf('::1', port)]);
    await assert.rejects(
      nodeUdp6.open({ port, networkInterface: 'lo', groups: [] }, { onDatagram() {}, onError: fails }),
      (error) => error instanceof PlatformError && error.code === 'address-in-use',
    );
  },
);

test('the error for a missing network interface names it', { skip: whyNot() }, async () => {
  await assert.rejects(
    nodeUdp6.open({ port: 0, networkInterface: 'none0', groups: [] }, { onDatagram() {}, onError: fails }),
    (error) =>
      error instanceof PlatformError && error.code === 'no-such-interface' && /none0/.test(error.message),
  );
  assert.equal(nodeUdp6.macOf('none0'), undefined);
  assert.equal(nodeUdp6.macOf('lo'), '00:00:00:00:00:00');
});
