/**
 * Tests the service as a proxy in a network whose DHCP server is dnsmasq. Three network namespaces share one
 * bridge: that of dnsmasq (which has the bridge), of the service, and of a client.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import type { NetbootSettings } from '@tinkerbell/netboot';
import { bytesToHex, hexToBytes, ipv4 } from '@tinkerbell/wire';
import type { Question } from '../testing/ask.ts';
import { packet, UEFI } from '../testing/packets.ts';
import { MAC } from '../testing/rack.ts';
import { startService } from '../testing/service-process.ts';

const LAN = `proxy-l-${process.pid}`;
const SERVER = `proxy-s-${process.pid}`;
const CLIENT = `proxy-c-${process.pid}`;
const US = '192.168.77.1';
const THEM = '192.168.77.2';
const STRANGER = hexToBytes('02005e1000ff 00000000000000000000') ?? new Uint8Array(16);
const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'pipe' });

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'network namespaces are Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const missing = ['/usr/bin/busybox', '/usr/sbin/dnsmasq'].find((program) => !existsSync(program));
  if (missing !== undefined) return `${missing} is not installed`;
  try {
    ip('netns', 'add', LAN);
    return false;
  } catch {
    return 'network namespaces cannot be created here';
  }
}

const skip = whyNot();
let directory: string;
let dnsmasq: ChildProcess;

function joinNamespaces(): void {
  ip('-n', LAN, 'link', 'add', 'br0', 'type', 'bridge', 'forward_delay', '0', 'stp_state', '0');
  for (const [namespace, name] of [
    [SERVER, 's0'],
    [CLIENT, 'c0'],
  ] as const) {
    ip('netns', 'add', namespace);
    ip('link', 'add', `${name}-lan`, 'netns', LAN, 'type', 'veth', 'peer', 'name', name, 'netns', namespace);
    ip('-n', LAN, 'link', 'set', `${name}-lan`, 'master', 'br0', 'up');
  }
  ip('-n', LAN, 'address', 'add', `${THEM}/24`, 'dev', 'br0');
  ip('-n', SERVER, 'address', 'add', `${US}/24`, 'dev', 's0');
  ip('-n', CLIENT, 'link', 'set', 'c0', 'address', MAC);
  ip('-n', LAN, 'link', 'set', 'br0', 'up');
  ip('-n', SERVER, 'link', 'set', 's0', 'up');
  ip('-n', CLIENT, 'link', 'set', 'c0', 'up');
}

/** Resolves when dnsmasq has logged that it serves. */
async function startDnsmasq(): Promise<void> {
  const options = [
    '--keep-in-foreground',
    '--log-facility=-',
    '--conf-file=/dev/null',
    '--user=root',
    '--port=0',
    '--no-ping',
    '--interface=br0',
    '--dhcp-range=192.168.77.50,192.168.77.99,1h',
    `--dhcp-leasefile=${leaseFile()}`,
    `--pid-file=${join(directory, 'dnsmasq.pid')}`,
  ];
  dnsmasq = spawn('ip', ['netns', 'exec', LAN, '/usr/sbin/dnsmasq', ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  dnsmasq.once('exit', (code) => reject(new Error(`dnsmasq ended with ${code}`)));
  createInterface({ input: dnsmasq.stderr! }).on('line', (line) => {
    if (line.includes('DHCP, IP range')) resolve();
  });
  await promise;
}

const leaseFile = () => join(directory, 'leases');

interface Answer {
  readonly from: string;
  readonly packet: DhcpPacket;
}

/** Sends from the client's port 68 and collects answers until `isEnough`. */
async function ask(
  questions: readonly Question[],
  isEnough: (answers: readonly Answer[]) => boolean,
): Promise<Answer[]> {
  const program = new URL('../testing/ask.ts', import.meta.url).pathname;
  const input = JSON.stringify({ networkInterface: 'c0', questions });
  const child = spawn('ip', ['netns', 'exec', CLIENT, process.execPath, program, input], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answers: Answer[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { hex, address, port } = JSON.parse(line);
    const decoded = decodePacket(hexToBytes(hex)!);
    assert.ok(decoded.ok);
    answers.push({ from: `${address}:${port}`, packet: decoded.value });
    if (isEnough(answers)) break;
  }
  child.kill();
  return answers;
}

const everybody = (bytes: Uint8Array): Question => ({
  hex: bytesToHex(bytes),
  address: '255.255.255.255',
  port: 67,
});
const ours = (answers: readonly Answer[]) => answers.filter(({ from }) => from.startsWith(`${US}:`));
const theirs = (answers: readonly Answer[]) => answers.filter(({ from }) => from.startsWith(`${THEM}:`));
const numbersOf = (answers: readonly Answer[]) => answers.map(({ packet }) => packet.transactionId);

/**
 * The service answers in order. When the last request, which it must answer, has its answer, an unanswered
 * one will never get one.
 */
const whenBothAnswered =
  (last: number) =>
  (answers: readonly Answer[]): boolean =>
    numbersOf(ours(answers)).includes(last) && numbersOf(theirs(answers)).includes(last);

/**
 * The firmware of an unknown machine, the operating system of machine1, and the firmware of machine1: numbers
 * 1, 2 and 3.
 */
const threeDiscovers = [
  everybody(packet(UEFI, { transactionId: 1, hardwareAddress: STRANGER })),
  everybody(packet({ messageType: 1 }, { transactionId: 2 })),
  everybody(packet(UEFI, { transactionId: 3 })),
];

describe('beside another DHCP server', { skip }, () => {
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'boot-proxy-'));
    writeFileSync(join(directory, 'ipxe.efi'), 'binary');
    joinNamespaces();
    await startDnsmasq();
  });
  after(async () => {
    const ended = new Promise((done) => dnsmasq.once('close', done));
    dnsmasq.kill();
    await ended;
    for (const namespace of [LAN, SERVER, CLIENT]) ip('netns', 'delete', namespace);
    rmSync(directory, { recursive: true });
  });

  async function withService(
    mode: NetbootSettings['mode'],
    networkInterfaces: readonly string[],
    use: () => Promise<void>,
  ): Promise<readonly string[]> {
    const options = { ipxeDirectory: directory, networkInterfaces, singlePort: false, mode };
    const service = await startService(SERVER, options);
    try {
      await use();
    } finally {
      await service.stop();
    }
    return service.lines;
  }

  for (const networkInterfaces of [['s0'], []]) {
    const where = networkInterfaces.length === 0 ? 'all network interfaces' : 'one network interface';

    test(`a known machine gets its boot file and no address, an unknown one gets nothing, on ${where}`, async () => {
      await withService('proxy', networkInterfaces, async () => {
        const answers = await ask(threeDiscovers, whenBothAnswered(3));
        assert.deepEqual(numbersOf(theirs(answers)), [1, 2, 3], 'the other server is not affected');
        const offers = ours(answers);
        assert.deepEqual(numbersOf(offers), [3]);
        const offer = offers[0]!.packet;
        assert.deepEqual(
          [offer.yiaddr, offer.siaddr, offer.bootFile, offer.options.messageType],
          ['0.0.0.0', US, 'ipxe.efi', 2],
        );
        assert.deepEqual(Object.keys(offer.options).sort(), [
          'clientMachineIdentifier',
          'messageType',
          'serverIdentifier',
          'vendorClassIdentifier',
          'vendorSpecific',
        ]);

        const chosen = theirs(answers).find(({ packet }) => packet.transactionId === 3)!.packet;
        const select = {
          ...UEFI,
          messageType: 3,
          serverIdentifier: ipv4(THEM),
          requestedAddress: chosen.yiaddr,
        };
        const acknowledged = await ask(
          [everybody(packet(select, { transactionId: 4 })), everybody(packet(UEFI, { transactionId: 5 }))],
          whenBothAnswered(5),
        );
        assert.deepEqual(numbersOf(ours(acknowledged)), [5], 'the REQUEST was for the other server');
        const ack = theirs(acknowledged).find(({ packet }) => packet.transactionId === 4)!.packet;
        assert.deepEqual([ack.options.messageType, ack.yiaddr], [5, chosen.yiaddr]);
      });
    });

    test(`a client with an address may use port 4011, and is answered from there, on ${where}`, async () => {
      await withService('proxy', networkInterfaces, async () => {
        ip('-n', CLIENT, 'address', 'replace', '192.168.77.200/24', 'dev', 'c0');
        const request = (options: DhcpOptions, transactionId: number): Question => {
          const header = { transactionId, ciaddr: ipv4('192.168.77.200'), broadcast: false };
          return { hex: bytesToHex(packet(options, header)), address: US, port: 4011 };
        };
        const questions = [request({ messageType: 3 }, 6), request({ ...UEFI, messageType: 3 }, 7)];
        const answers = await ask(questions, (answers) => numbersOf(answers).includes(7));
        ip('-n', CLIENT, 'address', 'flush', 'dev', 'c0');
        assert.deepEqual(
          answers.map(({ from, packet }) => [from, packet.transactionId, packet.options.messageType]),
          [[`${US}:4011`, 7, 5]],
        );
        assert.deepEqual([answers[0]!.packet.yiaddr, answers[0]!.packet.bootFile], ['0.0.0.0', 'ipxe.efi']);
      });
    });
  }

  test('auto-proxy sends boot files to unknown machines, and nothing to operating systems', async () => {
    await withService('auto-proxy', ['s0'], async () => {
      const answers = ours(await ask(threeDiscovers, whenBothAnswered(3)));
      assert.deepEqual(
        answers.map(({ packet }) => [packet.transactionId, packet.yiaddr, packet.bootFile]),
        [
          [1, '0.0.0.0', 'ipxe.efi'],
          [3, '0.0.0.0', 'ipxe.efi'],
        ],
      );
    });
  });

  test('udhcpc on a known machine gets one lease, from the other server', async () => {
    const script = join(directory, 'lease.sh');
    writeFileSync(script, '#!/bin/sh\necho "$1 $serverid $ip $boot_file" >> "$0.log"\n', { mode: 0o755 });
    const words = ['udhcpc', '-f', '-q', '-n', '-t', '3', '-T', '1', '-i', 'c0', '-s', script];
    const journal = await withService('auto-proxy', ['s0'], async () => {
      execFileSync('ip', ['netns', 'exec', CLIENT, '/usr/bin/busybox', ...words], {
        stdio: 'ignore',
        timeout: 20_000,
      });
    });
    const [leased, ...others] = readFileSync(leaseFile(), 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.includes(MAC))
      .map((line) => line.split(' ')[2]);
    assert.deepEqual(others, []);
    const events = readFileSync(`${script}.log`, 'utf8').trimEnd().split('\n');
    assert.deepEqual(
      events.filter((line) => !line.startsWith('deconfig')),
      [`bound ${THEM} ${leased}`],
    );
    assert.deepEqual(
      journal.map((line) => JSON.parse(line)).map(({ event, details }) => [event, details.reason]),
      [['request-ignored', 'not-a-netboot-client']],
      'once for the DISCOVER and the REQUEST: the same reason within a minute',
    );
  });
});
