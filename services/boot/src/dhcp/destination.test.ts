/**
 * Checks where replies really go: frames captured at the client's end of a veth pair, for every row of RFC 2131 section 4.1, and
 * how busybox's udhcpc, which sets no broadcast flag, handles them.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { bytesToHex, ipv4 } from '@tinkerbell/wire';
import type { Question } from '../testing/ask.ts';
import { startCapture, type Capture, type Frame } from '../testing/capture.ts';
import { ip, linkNamespaces, whyNoNamespaces, type LinkedNamespaces } from '../testing/linked-namespaces.ts';
import { packet } from '../testing/packets.ts';
import { MAC } from '../testing/rack.ts';
import { startService, type ServiceProcess } from '../testing/service-process.ts';

/**
 * The MAC of the veth end, which is not the requesting machine: ARP returns this one, while a frame to the machine has the
 * machine's MAC.
 */
const NEIGHBOUR = '02:00:5e:10:00:99';
const RELAY = ipv4('192.168.77.3');
const MACHINE = ipv4('192.168.77.10');
const EVERYBODY = 'ff:ff:ff:ff:ff:ff';

const kinds: readonly { readonly name: string; readonly type: number; readonly options: DhcpOptions }[] = [
  { name: 'OFFER', type: 2, options: { messageType: 1 } },
  { name: 'ACK', type: 5, options: { messageType: 3 } },
  { name: 'NAK', type: 6, options: { messageType: 3, requestedAddress: ipv4('192.168.77.66') } },
];

type Row = readonly [name: string, header: Partial<DhcpPacket>, forOffers: string, forRefusals: string];
const toRelay = `${NEIGHBOUR} ${RELAY}:67`;
const toUser = `${NEIGHBOUR} ${MACHINE}:68`;
const toFrame = `${MAC} ${MACHINE}:68`;
const toEverybody = `${EVERYBODY} 255.255.255.255:68`;
const rows: readonly Row[] = [
  ['giaddr', { giaddr: RELAY, broadcast: false }, toRelay, toRelay],
  ['giaddr and ciaddr', { giaddr: RELAY, ciaddr: MACHINE, broadcast: true }, toRelay, toRelay],
  ['ciaddr', { ciaddr: MACHINE, broadcast: true }, toUser, toEverybody],
  ['the broadcast flag', { broadcast: true }, toEverybody, toEverybody],
  ['neither', { broadcast: false }, toFrame, toEverybody],
];

const skip = whyNoNamespaces(['/usr/bin/tcpdump', '/usr/bin/busybox']);

describe('where replies go', { skip }, () => {
  let link: LinkedNamespaces;
  let service: ServiceProcess;
  let capture: Capture;
  let directory: string;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'dhcp-destination-'));
    link = linkNamespaces('dest', NEIGHBOUR);
    service = await startService(link.server, {
      ipxeDirectory: directory,
      networkInterfaces: ['s0'],
      singlePort: false,
    });
    capture = await startCapture(link.client, 'c0', 'udp and src port 67');
  });
  after(async () => {
    await capture.stop();
    await service.stop();
    link.remove();
    rmSync(directory, { recursive: true });
  });

  test('each row of RFC 2131 section 4.1, for OFFER, ACK and NAK', async () => {
    // The neighbour answers ARP for the relay and for the address in use.
    for (const address of [RELAY, MACHINE]) {
      ip('-n', link.client, 'address', 'add', `${address}/24`, 'dev', 'c0');
    }
    const cases = rows
      .flatMap((row) => kinds.map((kind) => ({ row, kind })))
      .map((each, index) => ({ ...each, transactionId: 100 + index }));
    const questions = cases.map(({ row: [, header], kind: { options }, transactionId }) => ({
      hex: bytesToHex(packet(options, { ...header, transactionId })),
      address: '255.255.255.255',
      port: 67,
    }));
    const child = ask(questions);
    for (const { row, kind, transactionId } of cases) {
      const [name, , forOffers, forRefusals] = row;
      const frame = await capture.frame(({ payload }) => transactionOf(payload) === transactionId);
      const reply = decodePacket(frame.payload);
      assert.ok(reply.ok);
      assert.equal(reply.value.options.messageType, kind.type, `${name}, ${kind.name}`);
      const expected = kind.name === 'NAK' ? forRefusals : forOffers;
      assert.equal(`${frame.toMac} ${frame.to}`, expected, `${name}, ${kind.name}`);
      assert.equal(frame.from, '192.168.77.1:67');
      assert.ok(frame.payload.length >= 300, 'BOOTP clients drop shorter replies');
    }
    child.kill();
    ip('-n', link.client, 'address', 'flush', 'dev', 'c0');
  });

  function ask(questions: readonly Question[]): ChildProcess {
    const input = JSON.stringify({ networkInterface: 'c0', questions });
    const program = new URL('../testing/ask.ts', import.meta.url).pathname;
    const words = ['netns', 'exec', link.client, process.execPath, program, input];
    return spawn('ip', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  test('udhcpc, which sets no broadcast flag, accepts frames to its MAC', async () => {
    ip('-n', link.client, 'link', 'set', 'c0', 'address', MAC);
    const before = capture.frames.length;
    const words = ['udhcpc', '-f', '-q', '-n', '-t', '5', '-T', '1', '-i', 'c0', '-s', '/bin/true'];
    link.inClient('/usr/bin/busybox', ...words);
    const isNew = (frame: Frame) => capture.frames.indexOf(frame) >= before;
    await capture.frame((frame) => isNew(frame) && typeOf(frame.payload) === 5);
    const replies = capture.frames.filter(isNew).map(({ toMac, to }) => `${toMac} ${to}`);
    assert.deepEqual(replies, [toFrame, toFrame]);
  });
});

function typeOf(payload: Uint8Array): number | undefined {
  const decoded = decodePacket(payload);
  return decoded.ok ? decoded.value.options.messageType : undefined;
}

function transactionOf(payload: Uint8Array): number {
  return new DataView(payload.buffer, payload.byteOffset).getUint32(4);
}
