import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drained } from './drained.ts';
import { strategicMerge } from './index.ts';

const owner = (uid: string, name = uid) => ({ uid, name });

const cases: readonly [name: string, target: unknown, patch: unknown, expected: unknown][] = [
  ['merges maps', { data: { a: '1', b: '2' } }, { data: { b: null, c: '3' } }, { data: { a: '1', c: '3' } }],
  [
    'unites finalizers',
    meta({ finalizers: ['a'] }),
    meta({ finalizers: ['b', 'a'] }),
    meta({ finalizers: ['a', 'b'] }),
  ],
  [
    'removes finalizers',
    meta({ finalizers: ['a', 'b'] }),
    meta({ '$deleteFromPrimitiveList/finalizers': ['a'], '$setElementOrder/finalizers': ['b'] }),
    meta({ finalizers: ['b'] }),
  ],
  [
    'merges owners by uid',
    meta({ ownerReferences: [owner('1'), owner('2')] }),
    meta({ ownerReferences: [owner('2', 'two'), { uid: '1', $patch: 'delete' }, owner('3')] }),
    meta({ ownerReferences: [owner('2', 'two'), owner('3')] }),
  ],
  [
    'merges secrets of an account by name',
    { secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'x' }] },
    { secrets: [{ name: 'b' }], imagePullSecrets: [{ name: 'x', $patch: 'delete' }] },
    { secrets: [{ name: 'a' }, { name: 'b' }], imagePullSecrets: [] },
  ],
  ['replaces other lists', { list: [1, 2] }, { list: [3] }, { list: [3] }],
  [
    'replaces a map on demand',
    { data: { a: '1' } },
    { data: { $patch: 'replace', b: '2' } },
    { data: { b: '2' } },
  ],
  [
    'keeps the keys that $retainKeys lists',
    { data: { a: '1', b: '2' } },
    { data: { $retainKeys: ['b'] } },
    { data: { b: '2' } },
  ],
];

function merged(target: unknown, patch: unknown): unknown {
  return drained(strategicMerge(target, patch));
}

function meta(fields: object) {
  return { metadata: fields };
}

for (const [name, target, patch, expected] of cases) {
  test(`a strategic merge patch ${name}`, () => {
    const before = structuredClone(target);
    assert.deepEqual(merged(target, patch), expected);
    assert.deepEqual(target, before);
  });
}

test('a strategic merge patch changes no prototype', () => {
  const patch: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
  merged({}, patch);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});
