import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESCUE_ANNOTATION } from '@tinkerbell/resources';
import { mac } from '@tinkerbell/wire';
import { hardware, MAC } from '../testing/packets.ts';
import { isSameForReservation, reservationFor, uncachedReservationFor } from '../index.ts';

test('an unusable Hardware has its reason', () => {
  const why = (change: Parameters<typeof hardware>[0]) => {
    const result = reservationFor([hardware(change)], MAC);
    return result.ok ? 'usable' : result.reason;
  };
  assert.equal(why({ networkInterface: { disableDhcp: true } }), 'usable', 'for scripts and files');
  assert.equal(why({ networkInterface: { netboot: undefined } }), 'no-netboot-data');
  assert.equal(
    why({ dhcp: { ip: { address: '192.168.77.300', netmask: '255.255.255.0' } } }),
    'address-invalid',
  );
  assert.equal(why({ dhcp: { ip: { address: '2001:db8::1' } } }), 'address-not-ipv4');
  assert.equal(why({ dhcp: { ip: { address: '192.168.77.10' } } }), 'netmask-invalid');
  assert.equal(
    why({ dhcp: { ip: { address: '192.168.77.10', netmask: '255.0.255.0' } } }),
    'netmask-invalid',
  );
  assert.equal(
    why({ dhcp: { ip: { address: '192.168.77.10', netmask: '255.0.0.0', gateway: 'x' } } }),
    'gateway-invalid',
  );
  assert.equal(
    why({ dhcp: { classless_static_routes: [{ destination_descriptor: '1.2.3.4', router: '1.2.3.4' }] } }),
    'static-route-invalid',
  );
  assert.equal(why({ netboot: { ipxe: { url: 'not a url' } } }), 'ipxe-url-invalid');
  assert.equal(why({ netboot: { osie: { baseURL: '/relative' } } }), 'osie-url-invalid');
  assert.equal(why({ dhcp: { ip: undefined } }), 'usable', 'a Hardware without an address is valid');
});

test('a Hardware is read once, and again after it has changed', () => {
  const [one, changed] = [hardware(), hardware({ dhcp: { hostname: 'renamed' } })];
  const hostName = (found: ReturnType<typeof hardware>) => {
    const result = reservationFor([found], MAC);
    return result.ok ? result.value.hostName : result.reason;
  };
  assert.equal(reservationFor([one], MAC), reservationFor([one], MAC));
  assert.deepEqual([hostName(one), hostName(changed), hostName(one)], ['machine1', 'renamed', 'machine1']);
  assert.equal(reservationFor([one], mac('02:00:5e:10:00:02')).ok, false, 'kept by MAC');
});

test('a Hardware is read again only after its spec, its identity or its rescue have changed', () => {
  const one = hardware();
  const known = reservationFor([one], MAC);
  const changed = (metadata: Partial<typeof one.metadata>) => {
    const result = reservationFor([{ ...one, metadata: { ...one.metadata, ...metadata } }], MAC);
    assert.ok(result.ok);
    return result.value;
  };
  const withStatus = {
    ...one,
    status: { state: 'busy' },
    metadata: { ...one.metadata, resourceVersion: '2' },
  };
  assert.equal(reservationFor([withStatus], MAC), known, 'of the same spec');
  assert.equal(changed({ uid: 'another' }).hardwareUid, 'another');
  assert.equal(changed({ name: 'renamed' }).hardwareName, 'renamed');
  assert.equal(changed({ namespace: 'lab' }).namespace, 'lab');
  assert.equal(changed({ annotations: { [RESCUE_ANNOTATION]: 'true' } }).isRescue, true);
  assert.equal(changed({}).isRescue, false);
  assert.notEqual(reservationFor([{ ...one, spec: { ...one.spec } }], MAC), known);
  assert.deepEqual(reservationFor([{ ...one, spec: { ...one.spec } }], MAC), known);
});

test('versions of a Hardware are the same for a reservation only if nothing that it is made of has changed', () => {
  const one = hardware({});
  const changed = (metadata: object) =>
    isSameForReservation(one, { ...one, metadata: { ...one.metadata, ...metadata } });
  assert.equal(isSameForReservation(one, one), true);
  assert.equal(changed({ resourceVersion: '2', labels: { rack: '7' } }), true);
  assert.equal(changed({ uid: 'another' }), false);
  assert.equal(changed({ name: 'renamed' }), false);
  assert.equal(changed({ namespace: 'lab' }), false);
  assert.equal(changed({ annotations: { [RESCUE_ANNOTATION]: 'true' } }), false);
  assert.equal(isSameForReservation(one, { ...one, spec: { ...one.spec } }), false);
  assert.deepEqual(uncachedReservationFor([one], MAC), reservationFor([one], MAC));
});
