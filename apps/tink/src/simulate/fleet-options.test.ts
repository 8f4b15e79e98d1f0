import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULTS, fleetOptionsOf } from './fleet-options.ts';

const place = { server: 'http://192.0.2.1:7080', namespace: 'lab', randomSeed: 7 };

test('defaults: the server of the API boots the machines, the seed is random', async () => {
  const options = await fleetOptionsOf(DEFAULTS, place);
  assert.deepEqual(options.bootServer, { address: '192.0.2.1', dhcpPort: 67, tftpPort: 69 });
  assert.equal(options.seed, 7);
  assert.equal(options.namespace, 'lab');
  assert.equal(options.timeoutMs, 600_000);
  assert.deepEqual(options.workMs, { min: 1000, max: 10_000 });
});

test('localhost is 127.0.0.1, and another boot server may be named', async () => {
  const address = async (server: string, bootServer?: string) =>
    (await fleetOptionsOf({ ...DEFAULTS, ...(bootServer ? { bootServer } : {}) }, { ...place, server }))
      .bootServer.address;
  assert.equal(await address('http://localhost:7080'), '127.0.0.1');
  assert.equal(await address('http://localhost:7080', '192.0.2.9'), '192.0.2.9');
});

const wrong: readonly (readonly [object, RegExp])[] = [
  [{ machines: '0' }, /--machines must be a whole number from 1 to 65000, not "0"/],
  [{ machines: '70000' }, /--machines/],
  [{ machines: 'x' }, /--machines/],
  [{ machines: '1.5' }, /--machines/],
  [{ machines: '' }, /--machines/],
  [{ seed: '-1' }, /--seed/],
  [{ loss: '2' }, /--loss must be a number from 0 to 1, not "2"/],
  [{ rate: '0' }, /--rate/],
  [{ speed: 'NaN' }, /--speed/],
  [{ work: '5-2' }, /--work must be SECONDS or SECONDS-SECONDS/],
  [{ work: '1-2-3' }, /--work/],
  [{ images: 'some' }, /--images must be none, head, whole/],
  [{ relay: 'here' }, /--relay must be an IPv4 address/],
  [{ relay: '127.0.0.1' }, /--relay/],
  [{ relay: '10.255.255.0', machines: '255' }, /--relay 10.255.255.0 leaves no room for 255 addresses/],
  [{ timeout: 'soon' }, /--timeout/],
  [{ dhcpPort: '99999' }, /--dhcp-port/],
  [{ bootServer: '[::1]' }, /no IPv4 address/],
];

for (const [options, message] of wrong)
  test(`rejects ${JSON.stringify(options)}`, () =>
    assert.rejects(fleetOptionsOf({ ...DEFAULTS, ...options }, place), { name: 'TinkFailure', message }));
