import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { broadcastUdpFrame, readUdpFrame } from './ethernet-udp-frame.ts';

const payload = Uint8Array.of(1, 2, 3);
const addresses = {
  fromMac: '02:00:5e:10:00:01',
  from: { address: '192.0.2.1', port: 67 },
  to: { address: '255.255.255.255', port: 68 },
};

describe('frames', () => {
  test('a frame can be built and read back', () => {
    const frame = broadcastUdpFrame(payload, addresses);
    assert.deepEqual(readUdpFrame(frame), { bytes: payload, ...addresses });
    assert.deepEqual([...frame.subarray(0, 6)], [255, 255, 255, 255, 255, 255]);
  });

  test('ignores padding after the datagram', () => {
    const padded = new Uint8Array(60);
    padded.set(broadcastUdpFrame(payload, addresses));
    assert.deepEqual(readUdpFrame(padded)?.bytes, payload);
  });

  for (const [name, at, value] of [
    ['another ethertype', 13, 6],
    ['another protocol', 23, 6],
    ['a fragment', 21, 1],
    ['a header that is too short', 14, 0x44],
    ['a length beyond the frame', 38, 9],
    ['a length below that of the header', 39, 7],
  ] as const) {
    test(`${name} is not a datagram`, () => {
      const frame = broadcastUdpFrame(payload, addresses);
      frame[at] = value;
      assert.equal(readUdpFrame(frame), undefined);
    });
  }

  test('no truncated frame is a datagram', () => {
    const frame = broadcastUdpFrame(payload, addresses);
    for (let length = 0; length < frame.length; length++)
      assert.equal(readUdpFrame(frame.subarray(0, length)), undefined);
  });
});

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'packet sockets are Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    execFileSync('ip', ['netns', 'add', `link-${process.pid}`], { stdio: 'pipe' });
    return false;
  } catch {
    return 'network namespaces cannot be created here';
  }
}

const skip = whyNot();
const NAMESPACE = `link-${process.pid}`;

test(
  'receives only its ports, also from hosts without an address, while another program has the port',
  { skip },
  async (context) => {
    const ip = (...words: string[]) => execFileSync('ip', ['-n', NAMESPACE, ...words], { stdio: 'pipe' });
    context.after(() => execFileSync('ip', ['netns', 'delete', NAMESPACE]));
    ip('link', 'add', 'l0', 'type', 'veth', 'peer', 'name', 'l1');
    ip('link', 'set', 'l0', 'up');
    ip('link', 'set', 'l1', 'address', '02:00:5e:10:00:02', 'up');
    // Holds port 68, then listens on l0 and sends on l1. It sends to another port first, so that an answer
    // proves the filter.
    const program = `
    import { nodeLinkLayer, nodeUdp } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const socket = await nodeUdp.open({ port: 68 }, { onDatagram() {}, onError() {} });
    const seen = await nodeLinkLayer.open({ networkInterface: 'l0', ports: [67, 68], pollMs: 20 }, (datagram) => {
      const { bytes, ...rest } = datagram;
      console.log(JSON.stringify({ text: String.fromCharCode(...bytes), ...rest }));
      if (bytes[0] === 99) { seen.close(); sender.close(); socket.close(); }
    });
    const sender = await nodeLinkLayer.open({ networkInterface: 'l1', ports: [1], pollMs: 1000 }, () => {});
    for (const [letter, port] of [[97, 69], [98, 67], [99, 68]])
      if (!sender.broadcast(Uint8Array.of(letter), { from: 1000, to: port })) throw new Error('not sent');
  `;
    const words = ['netns', 'exec', NAMESPACE, process.execPath, '--input-type=module', '-e', program];
    const child = spawn('ip', words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = await Array.fromAsync(createInterface({ input: child.stdout }));
    const datagram = (text: string, port: number) => ({
      text,
      fromMac: '02:00:5e:10:00:02',
      from: { address: '0.0.0.0', port: 1000 },
      to: { address: '255.255.255.255', port },
    });
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      [datagram('b', 67), datagram('c', 68)],
    );
  },
);

test(
  'sends from the MAC of an interface without a carrier, in a network namespace that /sys does not show',
  { skip },
  () => {
    const program = `
    import { nodeLinkLayer } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const link = await nodeLinkLayer.open({ networkInterface: 'nocable0', ports: [68], pollMs: 1000 }, () => {});
    link.close();
  `;
    const prepare = 'ip link add nocable0 address 02:00:5e:10:00:03 type bridge && ip link set nocable0 up';
    const words = ['--net', 'sh', '-c', `${prepare} && exec "$0" "$@"`, process.execPath];
    execFileSync('unshare', [...words, '--input-type=module', '-e', program], { stdio: 'pipe' });
  },
);
