import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipNetwork } from '@tinkerbell/wire';
import { mayFetchFrom, type AllowedSources } from './address-policy.ts';

interface Rules {
  readonly isOwnChoice: boolean;
  readonly allowed: AllowedSources;
}

const nothing: Rules = { isOwnChoice: false, allowed: { hostNames: [], networks: [] } };

function may(address: string, rules = nothing, redirects = 0, isThisMachine = false): boolean {
  return mayFetchFrom({ hostname: 'files.example', address, isThisMachine, redirects }, rules);
}

test('ordinary addresses are allowed as a source, also private ones', () => {
  for (const address of [
    '192.0.2.1',
    '10.1.2.3',
    '192.168.1.1',
    '2001:db8::1',
    'fd00::1',
    '64:ff9b::c000:201',
  ])
    assert.ok(may(address), address);
});

test('this machine, its segment, broadcast and unspecified addresses are refused', () => {
  const special = ['127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.169.254', '224.0.0.1', '255.255.255.255'];
  const special6 = ['::1', '::', '::127.0.0.1', '::ffff:127.0.0.1', 'fe80::1', 'ff02::1', '64:ff9b::7f00:1'];
  for (const address of [...special, ...special6, 'nonsense', '']) assert.ok(!may(address), address);
});

test('addresses that the operator lists or configures are allowed, and redirects are checked again', () => {
  const networks = [ipNetwork('127.0.0.0/8')];
  assert.ok(may('127.0.0.1', { ...nothing, allowed: { hostNames: [], networks } }));
  assert.ok(!may('::1', { ...nothing, allowed: { hostNames: [], networks } }));
  assert.ok(may('::1', { ...nothing, allowed: { hostNames: ['files.example'], networks: [] } }));
  assert.ok(may('127.0.0.1', { ...nothing, isOwnChoice: true }));
  assert.ok(!may('127.0.0.1', { ...nothing, isOwnChoice: true }, 1));
});

test('an address of this machine is refused, unless it or its name is listed', () => {
  const own = ['192.168.56.4', '127.0.0.1', '10.0.0.1', 'fd00::4', '64:ff9b::c0a8:3804'];
  for (const address of own) assert.ok(!may(address, nothing, 0, true), address);
  const listed = (text: string): Rules => {
    const networks = [ipNetwork(text)];
    return { ...nothing, allowed: { hostNames: [], networks } };
  };
  assert.ok(!may('192.168.56.4', listed('192.168.0.0/16'), 0, true));
  assert.ok(may('192.168.56.4', listed('192.168.56.4'), 0, true));
  assert.ok(!may('192.168.56.4', { ...nothing, isOwnChoice: true }, 1, true));
});
