/** Sends broken and excessive packets to the ports of DHCP, TFTP and syslog. */
import { createSocket } from 'node:dgram';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';
import { discover } from './good-dhcp.ts';

const PORTS = { dhcp: 67, forged: 67, tftp: 69, syslog: 514 } as const;
/** The packets of one act, sent as a burst. */
const BURST = 32;
const BYTES_MAX = 1500;
/**
 * A flood that one machine on the network can send. Beyond it, the kernel drops packets before the server
 * sees them.
 */
const PACKETS_A_SECOND = 5000;
const SPECIAL_ADDRESSES = [
  '00000000',
  'ffffffff',
  '7f000001',
  'e0000001',
  '7fffffff',
  '0a3c00ff',
  '0a3c0001',
];

export const packets: Attack = {
  name: 'packets',
  sends: 'packet',
  async once(_target, choice) {
    const service = choice.of(['dhcp', 'forged', 'tftp', 'syslog'] as const);
    const count = 1 + choice.below(BURST);
    await paced(count);
    const socket = createSocket('udp4');
    socket.on('error', () => undefined);
    for (let sent = 0; sent < count; sent += 1) {
      const bytes = makers[service](choice);
      await new Promise((resolve) => socket.send(bytes, PORTS[service], '127.0.0.1', resolve));
    }
    socket.close();
  },
};

/** Waits for the turn of that many packets, whatever others send. */
async function paced(count: number): Promise<void> {
  const now = performance.now();
  const mine = Math.max(now, freeMs);
  freeMs = mine + (count * 1000) / PACKETS_A_SECOND;
  if (mine > now) await new Promise((resolve) => setTimeout(resolve, mine - now));
}

let freeMs = 0;

const makers = {
  dhcp: (choice: SeededChoice): Buffer => {
    const packet = Buffer.alloc(240 + choice.below(400), choice.of([0, 255, 53]));
    packet.set([choice.of([1, 1, 1, 2]), 1, choice.of([6, 6, 16, 255]), choice.below(18)]);
    packet.writeUInt32BE(choice.below(2 ** 31), 4);
    for (const at of [12, 16, 20, 24])
      if (choice.once(2)) packet.set(Buffer.from(choice.of(SPECIAL_ADDRESSES), 'hex'), at);
      else packet.fill(0, at, at + 4);
    packet.set([0x52, 0x54, 0, choice.below(256), choice.below(256), choice.below(256)], 28);
    packet.set([99, 130, 83, 99], 236);
    let at = 240;
    while (at + 2 < packet.length && !choice.once(12)) {
      const length = choice.of([0, 1, 4, 4, 255, choice.below(64)]);
      packet.set([choice.of([50, 51, 53, 54, 55, 57, 60, 61, 77, 82, 93, 94, 97, 175, 255]), length], at);
      at += 2 + length;
    }
    return packet;
  },
  /** Well-formed packets of machines that do not exist. */
  forged: (choice: SeededChoice): Buffer => {
    const mac = [0x52, 0x54, choice.below(256), choice.below(256), choice.below(256), choice.below(256)];
    return discover(choice.below(2 ** 31), Buffer.from(mac));
  },
  tftp: (choice: SeededChoice): Buffer => {
    const names = [
      'undionly.kpxe',
      '../../etc/passwd',
      '/etc/passwd',
      'a\\..\\b',
      'x'.repeat(600),
      '%00',
      '',
    ];
    const options = [
      'blksize',
      '65464',
      'windowsize',
      '65535',
      'tsize',
      '-1',
      'timeout',
      '255',
      'blksize',
      '0',
    ];
    const words = [
      choice.of(names),
      choice.of(['octet', 'netascii', 'mail', '']),
      ...options.slice(choice.below(10)),
    ];
    const opcode = Buffer.from([0, choice.of([1, 1, 1, 2, 3, 4, 5, 6, 9])]);
    return Buffer.concat([opcode, Buffer.from(words.join('\0')), Buffer.alloc(choice.below(2))]);
  },
  syslog: (choice: SeededChoice): Buffer => {
    const text = `<${choice.below(300)}>${choice.of(['', '1 ', 'Jan 99 '])}${'\u001B[2J\n%s'.repeat(choice.below(80))}`;
    return Buffer.from(text).subarray(0, BYTES_MAX);
  },
};
