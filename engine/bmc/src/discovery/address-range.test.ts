import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddressRange } from './address-range.ts';

/** `first..last (count)`, or the message. */
function shown(text: string): string {
  const range = parseAddressRange(text);
  if (!range.ok) return range.message;
  const { addresses } = range;
  return `${addresses[0]}..${addresses.at(-1)} (${addresses.length})`;
}

const ranges: readonly (readonly [text: string, range: string])[] = [
  ['192.0.2.0/24', '192.0.2.1..192.0.2.254 (254)'],
  ['192.0.2.77/24', '192.0.2.1..192.0.2.254 (254)'],
  ['192.0.2.8/31', '192.0.2.8..192.0.2.9 (2)'],
  ['192.0.2.8/32', '192.0.2.8..192.0.2.8 (1)'],
  ['10.0.0.0/20', '10.0.0.1..10.0.15.254 (4094)'],
  ['192.0.2.250 - 192.0.3.4', '192.0.2.250..192.0.3.4 (11)'],
  ['192.0.2.9', '192.0.2.9..192.0.2.9 (1)'],
  ['255.255.255.254/31', '255.255.255.254..255.255.255.255 (2)'],
  ['0.0.0.0/0', '0.0.0.0/0: has 4294967294 addresses, more than 4096; use a smaller range'],
  ['192.0.2.9-192.0.2.8', '192.0.2.9-192.0.2.8: the last address is before the first'],
  ['', '"": must be ADDRESS/PREFIX, FIRST-LAST or one IPv4 address'],
  ['192.0.2.1-2', '"192.0.2.1-2": must be ADDRESS/PREFIX, FIRST-LAST or one IPv4 address'],
  [
    '192.0.2.1-192.0.2.2-192.0.2.3',
    '"192.0.2.1-192.0.2.2-192.0.2.3": must be ADDRESS/PREFIX, FIRST-LAST or one IPv4 address',
  ],
  ['bmc.example.org', '"bmc.example.org": must be ADDRESS/PREFIX, FIRST-LAST or one IPv4 address'],
];

for (const [text, range] of ranges)
  test(`${JSON.stringify(text)}: ${range}`, () => assert.equal(shown(text), range));
