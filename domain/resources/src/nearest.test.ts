import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nearest } from './nearest.ts';

test('finds the word that was meant', () => {
  const names = ['hardware', 'templates', 'workflows', 'machines'];
  for (const [word, meant] of [
    ['hardwrae', 'hardware'],
    ['Template', 'templates'],
    ['workflow', 'workflows'],
    ['xmachines', 'machines'],
    ['jobs', undefined],
    ['', undefined],
  ] as const)
    assert.equal(nearest(word, names), meant, word);
});

test('the closest of several wins, however many others there are', () => {
  const others = Array.from({ length: 100_000 }, (_, index) => `very-long-name-of-a-host-${index}`);
  assert.equal(nearest('hots', [...others, 'host', 'hosts']), 'host');
});

test('does not compare without a limit', () => {
  const word = 'w'.repeat(60);
  const alike = Array.from({ length: 1000 }, () => word);
  assert.equal(nearest(word, alike.slice(0, 50)), word);
  assert.equal(nearest(word, alike), undefined);
  assert.equal(nearest('w'.repeat(65), ['w'.repeat(65)]), undefined);
});
