/** The simulated AMT with a client that others wrote: `amt` of PyPI, from OpenStack's driver. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { amtRack } from '../testing/amt-rack.ts';
import { pythonPackages } from '../testing/python-packages.ts';
import { PASSWORD } from '../testing/redfish-rack.ts';

const packages = pythonPackages('amt', ['amt==0.8.0', 'requests==2.32.5']);

const program = `
import sys
import amt.client, amt.wsman
port, password = int(sys.argv[1]), sys.argv[2]
amt.client.AMT_PROTOCOL_PORT_MAP['http'] = port
client = amt.client.Client('127.0.0.1', password)
state = lambda: amt.wsman.friendly_power_state(client.power_status())
print(state())
client.pxe_next_boot()
assert client.power_on() == 0
print(state())
assert client.power_cycle() == 0
print(state())
assert client.power_off() == 0
print(state())
try:
    amt.client.Client('127.0.0.1', 'wrong').power_status()
except Exception as refused:
    print(refused.response.status_code)
`;

test('a client that others wrote switches the power and boots from the network', async (context) => {
  const why = await packages.whyAbsent();
  if (why !== undefined) return context.skip(why);
  await using rack = await amtRack();
  const lines = (await packages.run(program, String(rack.amt.port), PASSWORD)).trim().split('\n');
  assert.deepEqual(lines, ['off', 'on', 'on', 'off', '401']);
  assert.deepEqual(rack.machine.operations, ['on', 'cycle', 'off']);
  assert.deepEqual(rack.machine.boots, ['pxe', 'none']);
});

const AMTTERM = '/usr/bin/amtterm';
const noAmtterm = existsSync(AMTTERM) ? false : 'needs amtterm (Debian package amtterm)';

test('amtterm opens the serial console', { skip: noAmtterm, timeout: 30_000 }, async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  // Switches the console on.
  await (await session.openConsole?.())?.[Symbol.asyncDispose]();
  const { port } = rack.amt;
  // It needs a terminal.
  const words = `${AMTTERM} -u admin -p '${PASSWORD}' 127.0.0.1 ${port + 2}`;
  const child = spawn('script', ['-qfec', words, '/dev/null'], { stdio: 'pipe' });
  let printed = '';
  child.stdout.on('data', (part: Buffer) => (printed += part.toString('latin1')));
  const until = async (expected: RegExp): Promise<void> => {
    while (!expected.test(printed)) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  try {
    await until(/RUN_SOL|serial-over-lan active/);
    child.stdin.write('uptime\r');
    await until(/uptime/);
    rack.machine.serial.onOutput(Buffer.from('login: '));
    await until(/login: /);
  } finally {
    child.kill();
  }
});
