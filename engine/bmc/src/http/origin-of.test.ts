import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError } from '../bmc-error.ts';
import { originOf } from './origin-of.ts';

test('addresses of both families and names are hosts', () => {
  const cases: readonly [host: string, origin: string][] = [
    ['192.0.2.9', 'https://192.0.2.9:8443'],
    ['bmc-1.example.org', 'https://bmc-1.example.org:8443'],
    ['2001:db8::1', 'https://[2001:db8::1]:8443'],
    ['[2001:db8::1]', 'https://[2001:db8::1]:8443'],
  ];
  for (const [host, origin] of cases) assert.equal(originOf('https', host, 8443).origin, origin);
  assert.equal(originOf('http', '::1', 16_992).href, 'http://[::1]:16992/');
});

test('what would change another part of the URL is refused', () => {
  const bad = [
    '',
    'a/b',
    'a?b',
    'a#b',
    'user@a',
    'user:password@a',
    'a:80/x',
    'a b',
    '[::1',
    'fe80::1%eth0/x',
    '::1]/x[',
  ];
  for (const host of bad)
    assert.throws(
      () => originOf('http', host, 80),
      (thrown) => thrown instanceof BmcError && thrown.code === 'unreachable',
      host,
    );
});
