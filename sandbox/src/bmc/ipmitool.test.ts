/** The simulated BMC with the client that others wrote: ipmitool (Debian package ipmitool). */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { nodeIpmiCrypto } from '@tinkerbell/engine-bmc';
import { cipherSuites, encodeInventory, encodeSensorRecord, encodeSystemEvent } from '@tinkerbell/ipmi';
import { nodeClock, nodeRandom, nodeUdp } from '@tinkerbell/platform-node';
import { IpmiResponder } from './ipmi-responder.ts';
import { PlainMachine } from './simulated-machine.ts';

const skip = existsSync('/usr/bin/ipmitool') ? false : 'needs ipmitool (Debian package ipmitool)';
const run = promisify(execFile);

describe('ipmitool', { skip }, () => {
  const machine = new PlainMachine();
  let bmc: IpmiResponder;

  before(async () => {
    machine.inventories = new Map([
      [
        0,
        encodeInventory({
          chassis: { type: 23, partNumber: 'CH-1', serialNumber: 'C123' },
          board: { manufacturer: 'Acme', name: 'Board X', serialNumber: 'B1', partNumber: 'BP-9' },
          product: { manufacturer: 'Acme', name: 'Rack 100', serialNumber: 'S77' },
        }),
      ],
    ]);
    const event = { kind: 'system', generator: 0x20, sensorType: 1, sensorNumber: 5, eventType: 1 } as const;
    const bytes = Uint8Array.of(0x59, 90, 85);
    machine.events = [1, 2].map((recordId) =>
      encodeSystemEvent({
        ...event,
        recordId,
        atSeconds: 1_700_000_000,
        isDeassertion: recordId === 2,
        bytes,
      }),
    );
    const linear = { format: 'unsigned', b: 0, bExponent: 0, resultExponent: 0 } as const;
    machine.sensorRecords = [
      {
        recordId: 1,
        sensorNumber: 5,
        sensorType: 1,
        unit: 1,
        name: 'CPU Temp',
        factors: { ...linear, m: 1 },
      },
      { recordId: 2, sensorNumber: 6, sensorType: 4, unit: 18, name: 'Fan 1', factors: { ...linear, m: 50 } },
    ].map((record) => encodeSensorRecord(record));
    machine.readings = new Map([
      [5, 42],
      [6, 90],
    ]);
    bmc = await IpmiResponder.open(
      { clock: nodeClock, random: nodeRandom, udp: nodeUdp, crypto: nodeIpmiCrypto },
      {
        machine,
        settings: {
          accounts: [
            { username: 'admin', password: 'secret', privilege: 4 },
            { username: 'user', password: 'secret', privilege: 2 },
          ],
          guid: new Uint8Array(16).fill(7),
          suites: cipherSuites,
        },
      },
    );
  });

  beforeEach(() => {
    machine.isPowered = false;
    machine.operations.length = 0;
  });

  after(() => bmc[Symbol.asyncDispose]());

  const argumentsFor = (suite: string): string[] => {
    const address = ['-I', 'lanplus', '-H', '127.0.0.1', '-p', String(bmc.port)];
    return [...address, '-U', 'admin', '-P', 'secret', '-C', suite];
  };

  async function ask(suite: string, ...command: readonly string[]): Promise<string> {
    const { stdout } = await run('/usr/bin/ipmitool', [...argumentsFor(suite), ...command]);
    return stdout;
  }

  for (const suite of ['3', '17']) {
    test(`controls power and boot device with cipher suite ${suite}`, async () => {
      assert.match(await ask(suite, 'chassis', 'power', 'status'), /is off/);
      for (const operation of ['on', 'reset', 'cycle', 'soft', 'off'])
        await ask(suite, 'chassis', 'power', operation);
      assert.deepEqual(machine.operations, ['on', 'reset', 'cycle', 'soft', 'off']);
      await ask(suite, 'chassis', 'bootdev', 'pxe', 'options=efiboot');
      assert.deepEqual(machine.bootFlags, { isValid: true, isPersistent: false, isEfi: true, device: 'pxe' });
      const parameter = await ask(suite, 'chassis', 'bootparam', 'get', '5');
      for (const line of ['Boot Flag Valid', 'only next boot', 'BIOS EFI boot', 'Force PXE'])
        assert.ok(parameter.includes(line), line);
    });
  }

  test('chooses a suite by itself, and is refused with a wrong password or privilege', async () => {
    const address = ['-I', 'lanplus', '-H', '127.0.0.1', '-p', String(bmc.port)];
    const login = (...account: readonly string[]) =>
      run('/usr/bin/ipmitool', [...address, ...account, 'chassis', 'power', 'status']);
    assert.match((await login('-U', 'admin', '-P', 'secret')).stdout, /is off/);
    await assert.rejects(login('-U', 'admin', '-P', 'wrong'), /Unable to establish/);
    await assert.rejects(login('-U', 'user', '-P', 'secret'), /Unable to establish/);
    assert.match((await login('-U', 'user', '-P', 'secret', '-L', 'USER')).stdout, /is off/);
    for (const weak of ['0', '1', '2'])
      await assert.rejects(login('-U', 'admin', '-P', 'secret', '-C', weak), /Unable to establish/, weak);
  });

  test('reads inventory, event log and sensors', async () => {
    const inventory = await ask('17', 'fru');
    for (const line of [
      'Chassis Serial        : C123',
      'Board Product         : Board X',
      'Product Serial        : S77',
    ])
      assert.ok(inventory.includes(line), `${line} in ${inventory}`);
    assert.ok(!inventory.includes('Product Extra'), inventory);
    assert.match(await ask('17', 'sel'), /Entries +: 2/);
    assert.match(await ask('17', 'sel', 'list'), /Temperature #0x05 .* Deasserted/);
    const sensors = await ask('17', 'sdr');
    assert.match(sensors, /CPU Temp +\| 42 degrees C +\| ok/);
    assert.match(sensors, /Fan 1 +\| 4500 RPM +\| ok/);
  });

  test('reads the device id', async () => {
    assert.match(await ask('17', 'mc', 'info'), /Firmware Revision +: 2\.14/);
  });

  test('opens the serial console', async () => {
    // ipmitool wants a terminal, which `script` gives it.
    const command = ['/usr/bin/ipmitool', ...argumentsFor('17'), 'sol', 'activate'].join(' ');
    const child = spawn('script', ['-qfc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    const steps = [
      { until: 'SOL Session operational', type: 'hello\r' },
      { until: 'hello', type: '\r~B' },
      { until: 'send break', type: '\r~.' },
    ];
    for await (const chunk of child.stdout) {
      output += String(chunk);
      const [step] = steps;
      if (step === undefined || !output.includes(step.until)) continue;
      steps.shift();
      child.stdin.write(step.type);
      if (steps.length === 0) child.stdin.end();
    }
    assert.match(output, /hello[^]*terminated ipmitool/);
    assert.equal(machine.serial.breaks, 1);
  });
});
