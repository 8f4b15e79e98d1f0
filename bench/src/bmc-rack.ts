/** Started by the benchmark `bmc`: many simulated BMCs in one process. Prints their ports as JSON, and runs until it is ended. */
import { nodeIpmiCrypto } from '@tinkerbell/engine-bmc';
import { cipherSuites } from '@tinkerbell/ipmi';
import { nodeClock, nodeRandom, nodeUdp } from '@tinkerbell/platform-node';
import { IpmiResponder, PlainMachine } from '@tinkerbell/sandbox/bmc';
import { bmcAddress } from './bmc-address.ts';

const [count = '1', password = ''] = process.argv.slice(2);
const GUID_BYTES = 16;
const ADMINISTRATOR = 4;

const ports: number[] = [];
for (let number = 0; number < Number(count); number += 1) {
  const settings = {
    accounts: [{ username: 'admin', password, privilege: ADMINISTRATOR }],
    guid: nodeRandom.bytes(GUID_BYTES),
    suites: cipherSuites,
  };
  const deps = { udp: nodeUdp, clock: nodeClock, random: nodeRandom, crypto: nodeIpmiCrypto };
  const responder = await IpmiResponder.open(deps, {
    settings,
    machine: new PlainMachine(),
    address: bmcAddress(number),
  });
  ports.push(responder.port);
}
process.stdout.write(`${JSON.stringify(ports)}\n`);
