import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uncachedReservationFor, type Reservation } from '@tinkerbell/netboot';
import { parseMac } from '@tinkerbell/wire';
import { machine } from '../../testing/rack.ts';
import { KnownReservations } from './known-reservations.ts';

function reservation(): Reservation {
  const mac = parseMac(machine().spec?.interfaces?.[0]?.dhcp?.mac ?? '');
  assert.ok(mac !== undefined);
  const result = uncachedReservationFor([machine()], mac);
  assert.ok(result.ok);
  return result.value;
}

const otherMac = parseMac('02:00:00:00:00:99');

test('each machine has its own reservation, whatever it shares with others', () => {
  assert.ok(otherMac !== undefined);
  const known = new KnownReservations();
  const first = { ...reservation(), hardwareUid: 'one' };
  const { address: _, ...rest } = reservation();
  const second: Reservation = {
    ...rest,
    mac: otherMac,
    hardwareName: 'other',
    hostName: 'other',
    agentId: otherMac,
  };
  const third: Reservation = { ...second, nameServers: [], domainName: 'example.org' };
  for (const one of [first, second]) known.set(structuredClone(one));
  assert.deepEqual(known.get(first.mac), first);
  assert.deepEqual(known.get(otherMac), second);
  known.set(structuredClone(third));
  assert.deepEqual(known.get(otherMac), third);
  assert.deepEqual(known.get(first.mac), first);
});

test('a reservation that was withdrawn is not known', () => {
  const known = new KnownReservations();
  const one = reservation();
  known.set(one);
  known.delete(one.mac);
  assert.equal(known.get(one.mac), undefined);
});

test('more different networks than are shared are known all the same', () => {
  const known = new KnownReservations();
  const base = reservation();
  const all = Array.from({ length: 3_000 }, (_, index): Reservation => {
    const mac = parseMac(
      `02:00:00:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`,
    );
    assert.ok(mac !== undefined);
    return { ...base, mac, agentId: mac, domainName: `site-${index}.example.org` };
  });
  for (const one of all) known.set(structuredClone(one));
  for (const one of all) assert.deepEqual(known.get(one.mac), one);
});
