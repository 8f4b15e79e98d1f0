/**
 * A minimal DHCP client. It sends the datagrams listed as JSON in its program argument, or in the file that the argument names,
 * from port 68 of a network interface. It prints every datagram it receives there, one JSON record per line, until it is killed.
 */
import { readFileSync } from 'node:fs';
import { nodeUdp } from '@tinkerbell/platform-node';
import { bytesToHex, hexToBytes } from '@tinkerbell/wire';

export interface Question {
  readonly hex: string;
  readonly address: string;
  readonly port: number;
}

const [, , argument = '{}'] = process.argv;
const input = argument.startsWith('{') ? argument : readFileSync(argument, 'utf8');
const { networkInterface, questions } = JSON.parse(input) as {
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
