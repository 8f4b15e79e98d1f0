/** The driver against a BMC that others wrote: ipmi_sim of OpenIPMI (Debian package openipmi). */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { nodeClock, nodeRandom, nodeUdp, nodeUdp6 } from '@tinkerbell/platform-node';
import { BmcError } from '../bmc-error.ts';
import { pingIpmi } from '../discovery/ping-ipmi.ts';
import type { BmcSession } from '../driver.ts';
import type { IpmiOptions } from './ipmi-deps.ts';
import { createIpmiDriver } from './ipmi-driver.ts';

const skip = existsSync('/usr/bin/ipmi_sim') ? false : 'needs ipmi_sim (Debian package openipmi)';

/** The simulator calls it as `get power`, `set power 1` and so on. The state is in files beside it. */
const chassisScript = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
shift
operation=$1
shift
echo "$operation $*" >> operations
while [ $# -gt 0 ]; do
  if [ "$operation" = get ]; then echo "$1:$(cat "$1" 2>/dev/null || echo 0)"; shift
  else echo "$2" > "$1"; shift 2; fi
done
`;

const lanConfiguration = (folder: string, port: number, serialPort: number): string => `
name "sim"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 ${port}
    priv_limit admin
    allowed_auths_operator md5
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  startlan 2
    addr ::1 ${port}
    priv_limit admin
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  chassis_control "${folder}/chassis.sh 0x20"
  sol "tcp:127.0.0.1:${serialPort}" 115200 history=4000 historyfru=10
  user 1 false "" "" user 10 none md2 md5 straight
  user 2 true "admin" "secret" admin 10 none md2 md5 straight
  user 3 true "operator" "secret" operator 10 none md2 md5 straight
`;

const commands = `
mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
sel_enable 0x20 1000 0x0a
mc_enable 0x20
`;

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

describe('ipmi_sim', { skip }, () => {
  let folder = '';
  let port = 0;
  let simulator: ChildProcess;
  let serial: Server;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ipmi-sim-'));
    port = await freeUdpPort();
    serial = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(
      0,
      '127.0.0.1',
    );
    await once(serial, 'listening');
    const serialPort = (serial.address() as AddressInfo).port;
    await writeFile(join(folder, 'chassis.sh'), chassisScript, { mode: 0o755 });
    await writeFile(join(folder, 'lan.conf'), lanConfiguration(folder, port, serialPort));
    await writeFile(join(folder, 'sim.emu'), commands);
    const files = [
      '-c',
      join(folder, 'lan.conf'),
      '-f',
      join(folder, 'sim.emu'),
      '-s',
      join(folder, 'state'),
    ];
    simulator = spawn('/usr/bin/ipmi_sim', [...files, '-n'], { stdio: ['ignore', 'ignore', 'ignore'] });
    await once(simulator, 'spawn');
  });

  after(async () => {
    const ended = once(simulator, 'exit');
    simulator.kill('SIGKILL');
    await ended;
    serial.close();
    await rm(folder, { recursive: true });
  });

  /** The first login repeats its first packet until the simulator listens. */
  function open(
    options: IpmiOptions = {},
    username = 'admin',
    { password = 'secret', host = '127.0.0.1', timeoutMs = 20_000 } = {},
  ): Promise<BmcSession> {
    const driver = createIpmiDriver({
      clock: nodeClock,
      random: nodeRandom,
      udp: nodeUdp,
      udp6: nodeUdp6,
    });
    const target = { host, port, credentials: { username, password }, timeoutMs };
    return driver.open({ ...target, trust: { kind: 'any' } }, options, new AbortController().signal);
  }

  const codeOf = (opened: Promise<BmcSession>): Promise<string> =>
    opened.then(
      () => 'opened',
      (error: unknown) => (error instanceof BmcError ? error.code : String(error)),
    );

  test('the power is switched and read, by an administrator and by an operator', async () => {
    for (const [options, username] of [
      [{}, 'admin'],
      [{ cipherSuite: '3' }, 'operator'],
    ] as const) {
      await using session = await open(options, username);
      await session.setPower('on');
      assert.equal(await session.powerState(), 'on');
      await session.setPower('reset');
      await session.setPower('off');
      assert.equal(await session.powerState(), 'off');
    }
    const operations = await readFile(join(folder, 'operations'), 'utf8');
    assert.match(operations, /set power 1\n(?:get .*\n)*set reset 1\n(?:get .*\n)*set power 0\n/);
  });

  test('IPMI 1.5 switches the power, without what needs encryption', async () => {
    for (const username of ['admin', 'operator']) {
      await using session = await open({ version: '1.5' }, username);
      await session.setPower('on');
      assert.equal(await session.powerState(), 'on');
      await session.setBootDevice?.({ device: 'pxe', persistent: false, efiBoot: true });
      await session.setPower('off');
      assert.equal(await session.powerState(), 'off');
      await assert.rejects(session.openConsole!(), { code: 'unsupported' });
      await assert.rejects(session.setPassword!('operator', 'new-Password-16c'), { code: 'unsupported' });
    }
  });

  test('refused logins of IPMI 1.5 have their causes', async () => {
    const options = { version: '1.5' } as const;
    assert.equal(await codeOf(open(options, 'nobody')), 'wrong-credentials');
    assert.equal(await codeOf(open(options, 'admin', { password: 'x'.repeat(17) })), 'wrong-credentials');
    assert.equal(
      await codeOf(open(options, 'admin', { password: 'wrong', timeoutMs: 1000 })),
      'wrong-credentials',
    );
  });

  test('an IPv6 address in any spelling works like an IPv4 address', async () => {
    await using session = await open({}, 'admin', { host: '0:0::0001' });
    await session.setPower('on');
    assert.equal(await session.powerState(), 'on');
    await session.setPower('off');
  });

  test('the boot device reaches the simulator', async () => {
    await using session = await open();
    await session.setBootDevice?.({ device: 'pxe', persistent: false, efiBoot: true });
    assert.equal(await readFile(join(folder, 'boot'), 'utf8'), 'pxe\n');
    // It does not keep the valid bit, so the setting cannot be verified.
    assert.equal(await session.bootDevice?.(), undefined);
  });

  test('a search finds it by a presence ping, without a login', async () => {
    await (await open())[Symbol.asyncDispose]();
    const { signal } = new AbortController();
    const plan = { addresses: ['127.0.0.1', '127.0.0.2'], port, waitMs: 1000, signal };
    assert.deepEqual([...(await pingIpmi({ udp: nodeUdp, clock: nodeClock }, plan))], ['127.0.0.1']);
  });

  test('the password of an account is changed', async () => {
    {
      await using session = await open();
      await session.setPassword?.('operator', 'new-Password-16c');
    }
    assert.equal(await codeOf(open({}, 'operator')), 'wrong-credentials');
    await using session = await open({}, 'operator', { password: 'new-Password-16c' });
    assert.equal(await session.powerState(), 'off');
    await using administrator = await open();
    await administrator.setPassword?.('operator', 'secret');
    await assert.rejects(administrator.setPassword?.('nobody', 'x') ?? Promise.resolve(), {
      code: 'unsupported',
    });
  });

  test('refused logins have their causes', async () => {
    assert.equal(await codeOf(open({}, 'admin', { password: 'wrong' })), 'wrong-credentials');
    assert.equal(await codeOf(open({}, 'nobody')), 'wrong-credentials');
    assert.equal(await codeOf(open({ cipherSuite: '17' })), 'unsupported', 'it has suites up to 14');
  });

  test('the inventory has the firmware of the BMC', async () => {
    await using session = await open();
    assert.deepEqual(await session.inventory?.(), {
      collectionMethod: 'ipmitool',
      bmc: { firmwareVersion: '9.08' },
    });
  });

  test('the serial console carries characters in both directions', async () => {
    await using session = await open();
    await using console = await session.openConsole!();
    const sent = 'The quick brown fox jumps over the lazy dog. '.repeat(50);
    await console.write(new TextEncoder().encode(sent));
    let got = '';
    for await (const bytes of console.output) {
      got += new TextDecoder().decode(bytes);
      if (got.length >= sent.length) break;
    }
    assert.equal(got, sent);
  });
});
