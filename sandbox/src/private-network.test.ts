import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';

import { runCommand } from '@tinkerbell/hook';

import { enterPrivateNetwork } from './private-network.ts';

const PORTS = 12;

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';

test(
  'the bridge has a carrier without machines, and keeps MAC and neighbours as they come and go',
  { skip },
  async () => {
    const network = await enterPrivateNetwork('192.0.2.1');
    const { bridge } = network;
    const router = ['192.0.2.254', 'lladdr', '02:00:00:00:00:fe', 'dev', bridge, 'nud', 'permanent'];
    await runCommand('ip', ['neigh', 'add', ...router]);
    const link = (): Promise<string> =>
      runCommand('sh', ['-c', `ip -br link show ${bridge} | awk '{print $3}'`]);
    const before = await link();
    assert.ok(Object.hasOwn(networkInterfaces(), bridge), 'Node lists only interfaces with a carrier');
    // Each port has a random MAC, so that one of them is most likely lower than those before.
    for (let port = 0; port < PORTS; port += 1) await network.addPort();
    assert.equal(await link(), before);
    assert.match(await runCommand('ip', ['neigh']), /192\.0\.2\.254 .* PERMANENT/);
  },
);
