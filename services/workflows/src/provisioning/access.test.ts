import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback } from './access.ts';

const peers: readonly (readonly [peer: string, isLoopback: boolean])[] = [
  ['127.0.0.1:50123', true],
  ['127.1.2.3:1', true],
  ['[::1]:50123', true],
  ['::1:50123', true],
  ['[::ffff:127.0.0.1]:5', true],
  ['::ffff:127.0.0.1:5', true],
  ['10.1.0.2:50123', false],
  ['[::ffff:10.1.0.2]:5', false],
  ['[fd00::1]:5', false],
  ['[2001:db8::1]:5', false],
  ['127.example.org:5', false],
  ['unknown', false],
  ['', false],
];

for (const [peer, expected] of peers)
  test(`${peer || 'nobody'} is ${expected ? '' : 'not '}this machine`, () => {
    assert.equal(isLoopback(peer), expected);
  });
