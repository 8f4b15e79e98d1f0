/**
 * Started by the benchmark `bmc`: many simulated BMCs in one process. Prints their ports as JSON, and runs until it is ended. After
 * SIGUSR2, each machine prints a line on its serial console once a second.
 */
import { nodeIpmiCrypto } from '@tinkerbell/engine-bmc';
import { cipherSuites } from '@tinkerbell/ipmi';
import { nodeClock, nodeRandom, nodeUdp } from '@tinkerbell/platform-node';
import { IpmiResponder, PlainMachine } from '@tinkerbell/sandbox/bmc';
import { bmcAddress } from './bmc-address.ts';

const [count = '1', password = ''] = process.argv.slice(2);
const GUID_BYTES = 16;
const ADMINISTRATOR = 4;

const PRINT_MS = 1000;
/** About as long as a line of a terminal. */
const LINE = new TextEncoder().encode(`[   12.345678] ${'a line of the kernel '.repeat(3)}\r\n`);

const ports: number[] = [];
const machines: PlainMachine[] = [];
for (let number = 0; number < Number(count); number += 1) {
  const settings = {
    accounts: [{ username: 'admin', password, privilege: ADMINISTRATOR }],
    guid: nodeRandom.bytes(GUID_BYTES),
    suites: cipherSuites,
  };
  const deps = { udp: nodeUdp, clock: nodeClock, random: nodeRandom, crypto: nodeIpmiCrypto };
  const machine = new PlainMachine();
  machines.push(machine);
  const responder = await IpmiResponder.open(deps, {
    settings,
    machine,
    address: bmcAddress(number),
  });
  ports.push(responder.port);
}
process.on('SIGUSR2', () => {
  for (const [number, { serial }] of machines.entries())
    setTimeout(
      () => setInterval(() => serial.onOutput(LINE), PRINT_MS),
      (number * PRINT_MS) / machines.length,
    );
});
process.stdout.write(`${JSON.stringify(ports)}\n`);
