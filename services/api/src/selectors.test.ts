import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMapKind, type Resource } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';
import { selectorOf } from './selectors.ts';

function labelled(labels: Record<string, string>): Resource {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', labels } } as unknown as Resource;
}

function selects(labelSelector: string, labels: Record<string, string>): boolean {
  return selectorOf(new URLSearchParams({ labelSelector }), configMapKind)(labelled(labels));
}

test('terms of a label selector may have commas inside parentheses', () => {
  const labels = { a: '1', b: '2' };
  for (const [selector, expected] of [
    ['', true],
    ['a=1,b==2', true],
    [' a = 1 , b != 3 ', true],
    ['a in (1,2),b in (3, 2 )', true],
    ['a notin (1,2),b', false],
    ['a,!c', true],
    ['!a', false],
    ['a in (2)', false],
  ] as const)
    assert.equal(selects(selector, labels), expected, selector);
  for (const bad of ['a in', 'a in (1', '=', 'a=b=c', '(a)'])
    assert.throws(() => selects(bad, labels), ApiError, bad);
});

test('handles a selector of the maximum length of a request line quickly', () => {
  const hostile = [
    ','.repeat(16_000),
    'a,'.repeat(8000),
    `a in (${'b,'.repeat(8000)}c)`,
    'a('.repeat(8000),
    `a${' '.repeat(16_000)}x`,
    `a${' '.repeat(8000)}in${' '.repeat(8000)}`,
    '\\,'.repeat(8000),
  ];
  const before = process.cpuUsage();
  for (const text of hostile)
    for (const name of ['labelSelector', 'fieldSelector'])
      try {
        selectorOf(new URLSearchParams({ [name]: text }), configMapKind)(labelled({}));
      } catch (thrown) {
        assert.ok(thrown instanceof ApiError, String(thrown));
        assert.ok(thrown.message.length < 1000);
      }
  const { user } = process.cpuUsage(before);
  assert.ok(user < 500_000, `${user} microseconds`);
});
