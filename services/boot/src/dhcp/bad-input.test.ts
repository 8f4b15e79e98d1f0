/**
 * Sends broken requests over a real veth pair, each by broadcast and by unicast. After each, a machine must
 * get its offer.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodePacket } from '@tinkerbell/dhcp';
import { bytesToHex } from '@tinkerbell/wire';
import type { Question } from '../testing/ask.ts';
import { badPackets } from '../testing/bad-packets.ts';
import { startCapture, type Capture } from '../testing/capture.ts';
import {
  ip,
  linkNamespaces,
  SERVER_ADDRESS,
  whyNoNamespaces,
  type LinkedNamespaces,
} from '../testing/linked-namespaces.ts';
import { packet } from '../testing/packets.ts';
import { startService, type ServiceProcess } from '../testing/service-process.ts';

/** The MAC of `furtherMachine(index)`, as chaddr. */
function machineOf(index: number): Uint8Array {
  return Uint8Array.of(2, 0, 0x5e, 0x11, 0, index, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

function withTransaction(bytes: Uint8Array, transactionId: number): Uint8Array {
  const copy = bytes.slice();
  if (copy.length >= 8) new DataView(copy.buffer).setUint32(4, transactionId);
  return copy;
}

const bad = badPackets(machineOf);
/** Transactions: of the `index`-th bad packet by broadcast, by unicast, and of the good one after them. */
const numbersOf = (index: number) => [1000 + index, 2000 + index, 3000 + index] as const;

/** The transaction of a machine that sends its request after all of them. */
const LAST = 4000;
const TIME_LIMIT_MS = 60_000;

const skip = whyNoNamespaces(['/usr/bin/tcpdump']);

describe('bad input', { skip }, () => {
  let link: LinkedNamespaces;
  let service: ServiceProcess;
  let capture: Capture;
  let directory: string;
  let child: ChildProcess;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'dhcp-bad-'));
    link = linkNamespaces('bad', '02:00:5e:10:00:99');
    ip('-n', link.client, 'address', 'add', '192.168.77.3/24', 'dev', 'c0');
    service = await startService(link.server, {
      ipxeDirectory: directory,
      networkInterfaces: ['s0'],
      singlePort: false,
      furtherMachines: bad.length,
    });
    capture = await startCapture(link.client, 'c0', 'udp and src port 67');
  });
  after(async () => {
    child.kill();
    await capture.stop();
    await service.stop();
    link.remove();
    rmSync(directory, { recursive: true });
  });

  test(
    'gets no answer, or a valid one where its intent is clear, and the next machine gets its offer',
    {
      timeout: TIME_LIMIT_MS,
    },
    async () => {
      const to = (bytes: Uint8Array, address: string): Question => ({
        hex: bytesToHex(bytes),
        address,
        port: 67,
      });
      const triples = bad.flatMap(({ bytes }, index) => {
        const [everybody, us, good] = numbersOf(index);
        const header = { hardwareAddress: machineOf(index), transactionId: good, broadcast: false };
        return [
          to(withTransaction(bytes, everybody), '255.255.255.255'),
          to(withTransaction(bytes, us), SERVER_ADDRESS),
          to(packet({ messageType: 1 }, header), SERVER_ADDRESS),
        ];
      });
      const last = { hardwareAddress: machineOf(0), transactionId: LAST, broadcast: false };
      const questions = [...triples, to(packet({ messageType: 1 }, last), SERVER_ADDRESS)];
      const file = join(directory, 'questions.json');
      writeFileSync(file, JSON.stringify({ networkInterface: 'c0', questions }));
      const program = new URL('../testing/ask.ts', import.meta.url).pathname;
      child = spawn('ip', ['netns', 'exec', link.client, process.execPath, program, file], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });

      const answerTo = (number: number) => capture.frame((frame) => numberOf(frame.payload) === number);
      for (const [index, { name, outcome }] of bad.entries()) {
        const [everybody, us, good] = numbersOf(index);
        const { payload, toMac, to: address } = await answerTo(good);
        const offer = decodePacket(payload);
        assert.ok(offer.ok && offer.value.options.messageType === 2, name);
        const mac = `02:00:5e:11:00:${index.toString(16).padStart(2, '0')}`;
        assert.deepEqual([toMac, address], [mac, `192.168.77.${100 + index}:68`], name);
        if (outcome === 'silence') continue;
        // The kernel may reorder what two processors sent.
        for (const number of [everybody, us])
          assert.ok(decodePacket((await answerTo(number)).payload).ok, name);
      }
      await answerTo(LAST);
      for (const [index, { name, outcome }] of bad.entries()) {
        const [everybody, us] = numbersOf(index);
        const answers = capture.frames.filter(({ payload }) =>
          [everybody, us].includes(numberOf(payload) ?? 0),
        );
        assert.equal(answers.length, outcome === 'silence' ? 0 : 2, name);
      }
    },
  );
});

function numberOf(payload: Uint8Array): number | undefined {
  return payload.length < 8 ? undefined : new DataView(payload.buffer, payload.byteOffset).getUint32(4);
}
