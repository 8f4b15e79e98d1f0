/**
 * Hostile DHCP clients of one server, each with a socket and a seed of its own. Arguments: the server's address, their number, and how many
 * packets each sends in a second. Prints `ready` when all have a socket.
 */
import { createSocket } from 'node:dgram';
import { SeededRandom } from '@tinkerbell/sim/seeded-random';

const PACKET_BYTES = 300;
const OPTIONS_AT = 236;
const COOKIE = [0x63, 0x82, 0x53, 0x63];
const [server = '', count = '', perSecond = ''] = process.argv.slice(2);

/** Returns a packet that is a DISCOVER or REQUEST of an unknown machine, of one machine again and again, or damaged anywhere. */
function packetOf(random: SeededRandom): Uint8Array {
  const packet = new Uint8Array(PACKET_BYTES);
  packet.set([1, 1, 6]);
  packet.set(random.bytes(4), 4);
  packet.set([0x52, 0x54, 0, ...(random.happens(0.5) ? random.bytes(3) : [1, 2, 3])], 28);
  const type = random.happens(0.7) ? 1 : 3;
  packet.set([...COOKIE, 53, 1, type, 60, 9, ...Buffer.from('PXEClient'), 255], OPTIONS_AT);
  if (random.happens(0.5)) return packet;
  for (let bytes = random.between(1, 30); bytes > 0; bytes -= 1)
    packet[Math.floor(random.between(0, PACKET_BYTES))] = random.bytes(1)[0] ?? 0;
  return random.happens(0.3) ? packet.subarray(0, Math.floor(random.between(0, PACKET_BYTES))) : packet;
}

for (let index = 0; index < Number(count); index += 1) {
  const random = new SeededRandom(index);
  const socket = createSocket('udp4').on('error', () => undefined);
  setTimeout(
    () => setInterval(() => socket.send(packetOf(random), 67, server), 1000 / Number(perSecond)),
    random.between(0, 1000),
  );
}
setTimeout(() => process.stdout.write('ready\n'), 1500);
