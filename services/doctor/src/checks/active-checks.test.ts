import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressProbe } from '@tinkerbell/platform-contract';
import type { BmcMachine, Hardware } from '@tinkerbell/resources';
import { CONSOLE_OUTPUT } from '@tinkerbell/store-contract';
import { acknowledge, hardwareNamed, MAC, offer, settled, startDoctor } from '../testing/running-doctor.ts';

const ADDRESS = '10.0.0.5';

const machine: Hardware = {
  ...hardwareNamed('m1'),
  spec: {
    interfaces: [{ dhcp: { mac: MAC, ip: { address: ADDRESS } }, netboot: { allowPXE: true } }],
    bmcRef: { apiGroup: 'bmc.tinkerbell.org', kind: 'Machine', name: 'bmc-m1' },
  },
};
const bmc: BmcMachine = {
  apiVersion: 'bmc.tinkerbell.org/v1alpha1',
  kind: 'Machine',
  metadata: { name: 'bmc-m1', namespace: 'default' },
};
const rival: AddressProbe = { holderOf: () => Promise.resolve({ mac: '52:54:00:00:00:99' }) };

test('the address, the BMC and the lines of this boot are checked, and problems go into the verdict at once', async () => {
  const readBmc = () => Promise.resolve({ power: 'off', bootDevice: 'disk, once' });
  await using doctor = await startDoctor({ objects: [machine, bmc], probe: rival, readBmc });
  const line = (message: string) =>
    ({ source: 'bmc', event: CONSOLE_OUTPUT, machine: MAC, message }) as const;
  doctor.append(line('of an earlier boot'), offer(), acknowledge());
  doctor.append(...['1', '2', '3', '4', '5', '6'].map((text) => line(`line ${text}`)));
  await doctor.clock.advance(60);
  assert.equal(doctor.verdicts.get('default/m1')?.cause, 'tftp-blocked');
  const checks = (await doctor.checkNow(machine)) ?? [];
  assert.deepEqual(
    checks.map(({ check, state, message }) => `${check} ${state} ${message}`),
    [
      'address failed 10.0.0.5: another host, with the MAC 52:54:00:00:00:99, uses it',
      'bmc warning the power is off',
      'bmc note the next boot uses disk, once',
      ...['2', '3', '4', '5', '6'].map((text) => `console note line ${text}`),
    ],
  );
  const texts = doctor.verdicts.get('default/m1')?.evidence.map(({ text }) => text) ?? [];
  assert.deepEqual(texts.slice(-2), [
    'checked address: 10.0.0.5: another host, with the MAC 52:54:00:00:00:99, uses it',
    'checked bmc: the power is off',
  ]);
});

test('a BMC that fails or does not exist is a finding, and one that no Hardware names is not', async () => {
  const readBmc = () => Promise.reject(new Error('ipmitool: the BMC refused the login'));
  await using doctor = await startDoctor({ objects: [machine, bmc], readBmc });
  const bmcOf = async (hardware: Hardware) =>
    (await doctor.checkNow(hardware))?.find(({ check }) => check === 'bmc');
  const failed = { check: 'bmc', state: 'failed' };
  assert.deepEqual(await bmcOf(machine), { ...failed, message: 'ipmitool: the BMC refused the login' });
  const elsewhere = { ...machine, metadata: { name: 'm2', namespace: 'other' } };
  assert.match((await bmcOf(elsewhere))?.message ?? '', /^there is no Machine other\/bmc-m1,/);
  assert.deepEqual(await bmcOf(hardwareNamed('m3')), {
    check: 'bmc',
    state: 'note',
    message: 'the Hardware names no BMC',
  });
});

test('checks of one machine are shared, and few machines are checked at once', async () => {
  const { promise, resolve } = Promise.withResolvers<{ readonly power: string }>();
  let reads = 0;
  const readBmc = () => {
    reads += 1;
    return promise;
  };
  await using doctor = await startDoctor({ objects: [machine, bmc], readBmc });
  const named = (name: string): Hardware => ({ ...machine, metadata: { name, namespace: 'default' } });
  const running = Array.from({ length: 8 }, (_, at) => doctor.checkNow(named(`n${at}`)));
  assert.equal(doctor.checkNow(named('n9')), undefined);
  assert.notEqual(doctor.checkNow(named('n0')), undefined);
  await settled();
  assert.equal(reads, 8);
  resolve({ power: 'on' });
  for (const one of running) await one;
  assert.notEqual(doctor.checkNow(named('n9')), undefined);
});

for (const activeChecks of [true, false])
  test(`a machine that stands still is ${activeChecks ? 'checked once' : 'not checked'} without a person who asks`, async () => {
    let reads = 0;
    const readBmc = () => {
      reads += 1;
      return Promise.resolve({ power: 'off' });
    };
    await using doctor = await startDoctor({ objects: [machine, bmc], readBmc, activeChecks });
    doctor.append(offer(), acknowledge());
    await doctor.clock.advance(120);
    const { evidence = [] } = doctor.verdicts.get('default/m1') ?? {};
    assert.equal(reads, activeChecks ? 1 : 0);
    assert.equal(
      evidence.some(({ text }) => text === 'checked bmc: the power is off'),
      activeChecks,
    );
  });
