import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { configMapKind, hardwareKind, leaseKind, roleBindingKind, roleKind } from '@tinkerbell/resources';
import { applyPatch, type Operation } from 'rfc6902';
import { ApiError } from '../api-error.ts';
import { patched } from './patch.ts';

const jsonPatch = 'application/json-patch+json';

async function codeOf(target: unknown, body: unknown, contentType = jsonPatch): Promise<unknown> {
  try {
    return await patched(target, { body, contentType }, configMapKind);
  } catch (thrown) {
    assert.ok(thrown instanceof ApiError, String((thrown as Error).stack));
    return thrown.code;
  }
}

test('the operations of RFC 6902 behave as in its appendix', async () => {
  const cases: readonly [target: unknown, patch: unknown, result: unknown][] = [
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [{ foo: ['a', 'b', 'c'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['a', 'c'] }],
    [{ baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [
      { foo: { bar: 1 }, qux: {} },
      [{ op: 'move', from: '/foo/bar', path: '/qux/x' }],
      { foo: {}, qux: { x: 1 } },
    ],
    [{ foo: [1, 2, 3, 4] }, [{ op: 'move', from: '/foo/1', path: '/foo/3' }], { foo: [1, 3, 4, 2] }],
    [
      { baz: 'qux', foo: ['a', 2] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2] },
    ],
    [{ baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }], 422],
    [
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }], { foo: 'bar', baz: 'qux' }],
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }], 422],
    [{ '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [{ '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }], 422],
    [
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    [
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'replace', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  ];
  for (const [target, patch, result] of cases) {
    const before = structuredClone(target);
    assert.deepEqual(await codeOf(target, patch), result, JSON.stringify(patch));
    assert.deepEqual(target, before);
  }
});

test('rejects invalid patches, pointers and places', async () => {
  const bad: readonly unknown[] = [
    {},
    null,
    'x',
    [null],
    [[]],
    [{}],
    [{ op: 'add', path: 'spec', value: 1 }],
    [{ op: 'add', path: 'a/b', value: 1 }],
    [{ op: 'add', path: '/a~2', value: 1 }],
    [{ op: 'add', path: 5, value: 1 }],
    [{ op: 'add', path: '/x' }],
    [{ op: 'replace', path: '/a', from: 5 }],
    [{ op: 'move', path: '/b' }],
    [{ op: 'copy', from: 'a', path: '/b' }],
    [{ op: 'copy', from: '/nothing', path: '/b' }],
    [{ op: 'move', from: '/m', path: '/m/n/o' }],
    [{ op: 'add', path: '/l/01', value: 1 }],
    [{ op: 'add', path: '/l/-1', value: 1 }],
    [{ op: 'add', path: '/l/9', value: 1 }],
    [{ op: 'remove', path: '/l/-' }],
    [{ op: 'replace', path: '/l/1e0', value: 1 }],
    [{ op: 'add', path: '/__proto__/polluted', value: 1 }],
    [{ op: 'remove', path: '/constructor' }],
    [{ op: 'merge', path: '/a', value: 1 }],
    [{ op: 'add', path: `/a${'/a'.repeat(5000)}`, value: 1 }],
  ];
  for (const patch of bad) {
    const code = await codeOf({ a: 1, l: [1], m: { n: {} } }, patch);
    assert.ok(
      code === 400 || code === 422,
      `${JSON.stringify(patch)?.slice(0, 80)}: ${JSON.stringify(code)}`,
    );
  }
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

test('rejects a patch that copies its own result before the memory is full', async () => {
  const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '', path: '/a' }));
  const inLists = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/l', path: '/l/-' }));
  const text = Array.from({ length: 3000 }, (_, at) => ({ op: 'copy', from: '/text', path: `/c${at}` }));
  const growing = [doubling, inLists, text, [{ op: 'add', path: '/a', value: { b: {} } }, ...doubling]];
  const target = { l: [1, 2, 3], text: 'x'.repeat(10_000) };
  const before = process.memoryUsage();
  for (const patch of growing) assert.equal(await codeOf(target, patch), 413);
  const after = process.memoryUsage();
  assert.ok(after.heapUsed - before.heapUsed < 50_000_000);
});

test('aborts an expensive patch in time, and gives others turns before', async () => {
  const wide = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`k${at}`, at]));
  const list = Array.from({ length: 40_000 }, (_, at) => at);
  const patches: readonly unknown[][] = [
    Array.from({ length: 10_000 }, () => ({ op: 'replace', path: '/wide', value: wide })),
    Array.from({ length: 10_000 }, () => ({ op: 'test', path: '/wide', value: wide })),
    Array.from({ length: 5000 }, () => [
      { op: 'copy', from: '/wide/k1', path: '/wide/k2' },
      { op: 'move', from: '/list/0', path: '/list/39999' },
    ]).flat(),
  ];
  for (const patch of patches) {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const usage = process.cpuUsage();
    assert.equal(await codeOf({ wide, list }, patch), 413);
    const { user } = process.cpuUsage(usage);
    clearInterval(timer);
    assert.ok(user < 5_000_000, `${user} microseconds`);
    assert.ok(turns >= 3, `${turns} turns`);
  }
  const tooMany = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/list/0', value: 0 }));
  assert.equal(await codeOf({ list }, tooMany), 413);
});

test('merges of any kind create no object that is too large or too deep', async () => {
  const deep = (depth: number): unknown =>
    JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;
  const half = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, 'x'.repeat(9000)]));
  const other = Object.fromEntries(Object.entries(half).map(([key, value]) => [`other-${key}`, value]));
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
    assert.equal(await codeOf({ a: { a: 1 } }, deep(200), type), 413);
    assert.deepEqual(await codeOf({ a: { a: 1 } }, deep(50), type), deep(50));
    assert.equal(await codeOf({ data: half }, { data: other }, type), 413);
    const items = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`k${at}`, Array.from({ length: 400 }, () => 1)]),
    );
    const more = Object.fromEntries(Object.entries(items).map(([key, value]) => [`other-${key}`, value]));
    assert.equal(await codeOf({ data: items }, { data: more }, type), 413);
  }
  // kubectl apply and kubectl set subject patch them.
  const strategic = 'application/strategic-merge-patch+json';
  for (const kind of [roleKind, roleBindingKind, leaseKind])
    assert.deepEqual(await patched({ a: [1] }, { body: { a: [2] }, contentType: strategic }, kind), {
      a: [2],
    });
  await assert.rejects(patched({}, { body: {}, contentType: strategic }, hardwareKind), /not supported/);
});

test('merging long lists by key takes time proportional to their length', async () => {
  const owners = (from: number) => Array.from({ length: 9000 }, (_, at) => ({ uid: `u${from + at}`, n: at }));
  const target = { metadata: { ownerReferences: owners(0), finalizers: [] } };
  const usage = process.cpuUsage();
  const patch = {
    metadata: {
      ownerReferences: owners(500),
      '$deleteFromPrimitiveList/finalizers': Array.from({ length: 9000 }, (_, at) => `f${at}`),
    },
  };
  await codeOf(target, patch, 'application/strategic-merge-patch+json');
  assert.ok(process.cpuUsage(usage).user < 3_000_000);
});

/** Patches of small lists and objects, with valid and invalid places and moves into themselves. */
const pointers = [
  '',
  '/a',
  '/a/b',
  '/a/b/0',
  '/a/b/1',
  '/a/b/1/c',
  '/a/d',
  '/e',
  '/e/-',
  '/e/0',
  '/e/0/b',
  '/f',
];
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'remove', 'replace', 'copy', 'test'),
    path: fc.constantFrom(...pointers),
    from: fc.constantFrom(...pointers),
    value: fc.constantFrom(1, { g: [{ h: 1 }] }, [[]], 'x'),
  },
  { noNullPrototype: true },
);

/** Returns null if the other implementation could apply the operation. It throws where a number has fields. */
function otherFault(
  copy: unknown,
  one: { readonly op: string; readonly path: string; readonly from: string },
): Error | null {
  try {
    const { op, path, from } = one;
    const used = op === 'copy' ? [path, from] : [path];
    // It accepts any name and any number for an index, and has fields in strings.
    if (used.some((pointer) => isNoPlace(copy, pointer))) return new Error('no index');
    return applyPatch(copy, structuredClone([one]) as Operation[])[0] ?? null;
  } catch (thrown) {
    return thrown as Error;
  }
}

function isNoPlace(value: unknown, pointer: string): boolean {
  let at = value;
  for (const step of pointer.split('/').slice(1)) {
    if (Array.isArray(at) ? step !== '-' && !(Number(step) <= at.length) : typeof at === 'string')
      return true;
    at = (at as Record<string, unknown> | undefined)?.[step];
  }
  return false;
}

test('random patches give the result of another implementation, and do not change their input', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
      const target = { a: { b: [1, { c: 2 }], d: 'x' }, e: [] };
      const before = structuredClone({ target, operations });
      let expected: unknown = structuredClone(target);
      const patch: unknown[] = [];
      for (const one of operations) {
        // The other implementation replaces nothing at the root, and finds a value after the last item.
        const isAfterLast = one.path.endsWith('-') && ['replace', 'remove', 'test'].includes(one.op);
        if (one.path === '' || one.from === '' || isAfterLast || one.from.endsWith('-')) continue;
        const copy = structuredClone(expected);
        const fault = otherFault(copy, one);
        const code = await codeOf(target, [...patch, one]);
        assert.equal(
          fault === null,
          typeof code !== 'number',
          JSON.stringify([patch, one, code, fault?.message]),
        );
        if (fault !== null) continue;
        assert.deepEqual(code, copy);
        patch.push(one);
        expected = copy;
      }
      assert.deepEqual({ target, operations }, before);
    }),
    { numRuns: 500 },
  );
});
