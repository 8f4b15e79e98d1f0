/** The simulated AMT with clients that others wrote: `amt` of PyPI, from OpenStack's driver; amtterm and amtider; wsman of Openwsman. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { amtRack, driveOf } from '../testing/amt-rack.ts';
import { ImageServer, imageOf } from '../testing/image-server.ts';
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

test('amtterm opens the serial console', { skip: noAmtterm, timeout: 120_000 }, async () => {
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

const amtider = onPath('amtider');
const noAmtider = amtider === undefined ? 'needs amtider (amtterm 1.7 or newer) on the PATH' : false;

test('a machine reads a disc that amtider serves', { skip: noAmtider, timeout: 120_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'amtider-'));
  const [path, image] = [join(directory, 'a.iso'), imageOf(1024 * 1024)];
  await writeFile(path, image);
  await using server = await ImageServer.open(image);
  // amtider 1.8 does not connect without TLS.
  await using rack = await amtRack({}, { isSecure: true });
  await using session = await rack.open();
  // Switches drives on.
  for (const url of [server.url, undefined]) await session.setVirtualMedia?.(url);
  while (rack.amt.drive !== undefined) await turn();
  const words = ['-q', '-u', 'admin', '-p', PASSWORD, `127.0.0.1:${rack.amt.port + 2}`, path];
  const child = spawn(amtider ?? '', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const drive = await driveOf(rack);
    assert.equal(await drive.sizeBytes(), image.length);
    assert.ok(Buffer.from(image).equals(await drive.read(0, image.length)));
  } finally {
    child.kill();
    await rm(directory, { recursive: true });
  }
});

const wsman = onPath('wsman');
const noWsman = wsman === undefined ? 'needs wsman (wsmancli of Openwsman) on the PATH' : false;
const CIM = 'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2';

test('wsman identifies, reads, lists and switches', { skip: noWsman, timeout: 60_000 }, async () => {
  await using rack = await amtRack();
  const as = (password: string, ...words: readonly string[]): Promise<string> => {
    const login = ['-u', 'admin', '-p', password, '-y', 'digest', '--non-interactive'];
    const target = ['-h', '127.0.0.1', '-P', String(rack.amt.port)];
    return printedBy(wsman ?? '', [...target, ...login, ...words]);
  };
  assert.match(await as(PASSWORD, 'identify'), /ProductVendor>Intel\(r\)</);
  const power = `${CIM}/CIM_AssociatedPowerManagementService`;
  assert.match(await as(PASSWORD, 'get', power), /PowerState>8</);
  assert.match(await as(PASSWORD, 'enumerate', `${CIM}/CIM_Processor`), /DeviceID>CPU 0</);
  const on = ['-a', 'RequestPowerStateChange', `${CIM}/CIM_PowerManagementService`, '-k', 'PowerState=2'];
  assert.match(await as(PASSWORD, 'invoke', ...on), /ReturnValue>0</);
  assert.deepEqual(rack.machine.operations, ['on']);
  assert.match(await as(PASSWORD, 'get', `${CIM}/CIM_Nothing`), /DestinationUnreachable/);
  assert.match(await as('wrong', 'get', power), /Authentication failed/);
});

/** Returns all that a program prints. */
async function printedBy(program: string, words: readonly string[]): Promise<string> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (printed += part.toString()));
  await once(child, 'close');
  return printed;
}

function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10));
}
