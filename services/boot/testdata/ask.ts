/**
 * A DHCP client that has no opinions: sends the datagrams its program argument (JSON) lists from port 68 of a network
 * interface, and prints every datagram it gets there, one JSON record per line, until it is killed.
 */
import { nodeUdp } from '@tinkerbell/platform-node';
import { bytesToHex, hexToBytes } from '@tinkerbell/wire';

export interface Question {
  readonly hex: string;
  readonly address: string;
  readonly port: number;
}

const { networkInterface, questions } = JSON.parse(process.argv[2] ?? '{}') as {
  networkInterface: string;
  questions: readonly Question[];
};
const socket = await nodeUdp.open(
  { port: 68, networkInterface, broadcast: true },
  {
    onDatagram: ({ bytes, peer }) =>
      process.stdout.write(`${JSON.stringify({ hex: bytesToHex(bytes), ...peer })}\n`),
    onError: (error) => {
      throw error;
    },
  },
);
for (const { hex, ...to } of questions) socket.send(hexToBytes(hex) ?? new Uint8Array(), to);
