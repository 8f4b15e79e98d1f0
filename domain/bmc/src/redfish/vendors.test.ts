import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redfishVendorOf, resetsFor } from '../index.ts';

const vendor = (...names: string[]) => redfishVendorOf({ names, oem: [] });

test('a vendor is recognised by a name or by its extension', () => {
  assert.equal(vendor('Dell Inc.').name, 'dell');
  assert.equal(vendor('HPE').name, 'hpe');
  assert.equal(vendor('Hewlett-Packard').name, 'hpe');
  assert.equal(vendor('Super Micro Computer').name, 'supermicro');
  assert.equal(vendor('Supermicro').name, 'supermicro');
  assert.equal(vendor('Lenovo').name, 'lenovo');
  assert.equal(vendor('OpenBmc').name, 'openbmc');
  assert.equal(vendor('Delltron', 'Shop').name, 'generic');
  assert.equal(redfishVendorOf({ names: [undefined], oem: ['Hpe'] }).name, 'hpe');
  assert.equal(redfishVendorOf({ names: [], oem: [] }).name, 'generic');
});

test('an operation uses the first sequence whose resets are all allowed', () => {
  const generic = vendor();
  assert.deepEqual(resetsFor(generic, 'soft', ['GracefulShutdown', 'PushPowerButton']), ['GracefulShutdown']);
  assert.deepEqual(resetsFor(generic, 'soft', ['On', 'PushPowerButton']), ['PushPowerButton']);
  assert.equal(resetsFor(generic, 'soft', ['On', 'ForceOff']), undefined);
  assert.deepEqual(resetsFor(generic, 'cycle', ['PowerCycle', 'ForceOff', 'On']), ['PowerCycle']);
  assert.deepEqual(resetsFor(generic, 'cycle', ['On', 'ForceOff']), ['ForceOff', 'On']);
  assert.equal(resetsFor(generic, 'cycle', ['ForceOff']), undefined);
  assert.deepEqual(resetsFor(generic, 'on', ['ForceOn']), ['ForceOn']);
  assert.deepEqual(resetsFor(generic, 'reset', ['GracefulRestart']), ['GracefulRestart']);
});

test('a service that lists nothing gets the usual reset', () => {
  for (const allowed of [undefined, []]) {
    assert.deepEqual(resetsFor(vendor(), 'off', allowed), ['ForceOff']);
    assert.deepEqual(resetsFor(vendor(), 'cycle', allowed), ['PowerCycle']);
  }
});
