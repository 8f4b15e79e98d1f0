import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownMachines } from '@tinkerbell/enrollment';
import { base, startedApi } from './testing/started-api.ts';

const sighting = (mac: string) => ({
  mac,
  client: 'PXE firmware',
  architecture: 7,
  vendorClass: 'PXEClient',
  asked: 'discover',
  reason: 'no-hardware',
  message: 'no Hardware has it',
});

test('lists machines that ask to boot until a Hardware has their MAC', async () => {
  const unknownMachines = new UnknownMachines();
  await using api = await startedApi(undefined, { unknownMachines });
  assert.deepEqual((await api.call('GET', '/unknown-machines')).body, { items: [] });
  unknownMachines.see(sighting('08:00:27:00:00:01'), Date.parse('2026-01-02T03:04:05Z'));
  unknownMachines.see(sighting('08:00:27:00:00:02'), Date.parse('2026-01-02T03:04:06Z'));
  const { body } = await api.call('GET', '/unknown-machines');
  assert.deepEqual(body.items[1], {
    ...sighting('08:00:27:00:00:01'),
    count: 1,
    firstSeen: '2026-01-02T03:04:05.000Z',
    lastSeen: '2026-01-02T03:04:05.000Z',
  });
  const spec = { interfaces: [{ dhcp: { mac: '08:00:27:00:00:01' } }] };
  const hardware = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', metadata: { name: 'm' }, spec };
  assert.equal((await api.call('POST', `${base}/hardware`, hardware)).code, 201);
  const after = await api.call('GET', '/unknown-machines');
  assert.deepEqual(
    after.body.items.map(({ mac }: { mac: string }) => mac),
    ['08:00:27:00:00:02'],
  );
  assert.equal((await api.call('POST', '/unknown-machines', {})).code, 405);
});

test('needs permission for its path', async () => {
  await using api = await startedApi(undefined, { unknownMachines: new UnknownMachines(), isGuarded: true });
  api.as({ name: 'ann', groups: ['system:authenticated'] });
  assert.equal((await api.call('GET', '/unknown-machines')).code, 403);
});
