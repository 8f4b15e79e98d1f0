/**
 * Tests that a pool address in use by a machine on the link is not offered. The probe is an echo request, and
 * ARP where echo is dropped.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { decodePacket } from '@tinkerbell/dhcp';
import { bytesToHex, hexToBytes } from '@tinkerbell/wire';
import { startCapture } from '../testing/capture.ts';
import { ip, linkNamespaces, whyNoNamespaces } from '../testing/linked-namespaces.ts';
import { packet } from '../testing/packets.ts';
import { startService } from '../testing/service-process.ts';

const SQUATTER = '02:00:5e:10:00:99';
const skip = whyNoNamespaces(['/usr/bin/tcpdump']);

describe('addresses in use', { skip }, () => {
  for (const dropsEcho of [false, true]) {
    test(`a machine that ${dropsEcho ? 'drops' : 'answers'} echoes keeps its address`, async () => {
      await using undo = new AsyncDisposableStack();
      const directory = mkdtempSync(join(tmpdir(), 'dhcp-probe-'));
      undo.defer(() => rmSync(directory, { recursive: true }));
      const link = linkNamespaces(`probe${dropsEcho ? 1 : 0}`, SQUATTER);
      undo.defer(() => link.remove());
      ip('-n', link.client, 'address', 'add', '192.168.77.150/24', 'dev', 'c0');
      link.inClient('sysctl', '-qw', `net.ipv4.icmp_echo_ignore_all=${dropsEcho ? 1 : 0}`);
      const service = await startService(link.server, {
        ipxeDirectory: directory,
        networkInterfaces: ['s0'],
        singlePort: false,
        pool: '192.168.77.150-192.168.77.160/24',
      });
      undo.defer(() => service.stop());
      const capture = await startCapture(link.client, 'c0', 'udp and src port 67');
      undo.defer(() => capture.stop());

      const hardwareAddress = hexToBytes('02005e1000aa 00000000000000000000') ?? new Uint8Array(16);
      const hex = bytesToHex(packet({ messageType: 1 }, { hardwareAddress, broadcast: true }));
      const input = JSON.stringify({
        networkInterface: 'c0',
        questions: [{ hex, address: '255.255.255.255', port: 67 }],
      });
      const program = new URL('../testing/ask.ts', import.meta.url).pathname;
      const child = spawn('ip', ['netns', 'exec', link.client, process.execPath, program, input]);
      undo.defer(() => void child.kill());

      const { payload } = await capture.frame(() => true);
      const offer = decodePacket(payload);
      assert.ok(offer.ok);
      assert.deepEqual([offer.value.options.messageType, offer.value.yiaddr], [2, '192.168.77.151']);
      const [conflict] = service.lines.map((line) => JSON.parse(line) as { event: string; details: object });
      assert.equal(conflict?.event, 'address-in-use');
      assert.deepEqual(conflict.details, { address: '192.168.77.150', holder: SQUATTER });
    });
  }
});
