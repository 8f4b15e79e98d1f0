/**
 * Tests the server beside another DHCP server. In upstream (reservation/handler.go), scripts and the proxy ignore disableDhcp.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardware, MAC } from '../testing/packets.ts';
import { architectureOf, reservationFor } from '../index.ts';
import { mac } from '@tinkerbell/wire';

test('scripts and files are served although DHCP is disabled', () => {
  const found = reservationFor([hardware({ networkInterface: { disableDhcp: true } })], MAC);
  assert.ok(found.ok);
  assert.equal(found.value.isDhcpDisabled, true);
  assert.equal(found.value.mayNetboot, true);
});

test('architecture 41 follows from a maker’s prefix, not from what a client reports', () => {
  assert.equal(architectureOf([41], mac('02:00:5e:10:00:01')), 255);
  assert.equal(architectureOf([41, 11], mac('02:00:5e:10:00:01')), 11);
  assert.equal(architectureOf([0], mac('dc:a6:32:00:00:01')), 41);
});
