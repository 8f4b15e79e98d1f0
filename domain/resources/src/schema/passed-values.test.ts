import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { hardwareKind } from '../kinds.ts';
import type { Kind } from '../kind.ts';
import { Type } from '../schema.ts';
import { validateAs } from '../validate.ts';

type Fields = Record<string, unknown>;

function hardware(spec: Fields): Fields {
  const { group, version, kind } = hardwareKind;
  return { apiVersion: `${group}/${version}`, kind, metadata: { name: 'a', namespace: 'b' }, spec };
}

const interfaces = [{ dhcp: { mac: '02:00:00:00:00:01', ip: { address: '192.0.2.1' } }, netboot: {} }];

/** Returns the value with another at a path. What is not on the path is shared. */
function changed(value: unknown, [first, ...rest]: readonly string[], to: unknown): unknown {
  if (first === undefined) return to;
  if (Array.isArray(value)) return value.with(0, changed(value[0], rest, to));
  const fields: Fields = typeof value === 'object' && value !== null ? { ...value } : {};
  return { ...fields, [first]: changed(fields[first], rest, to) };
}

test('an object that shares values with a checked one is checked as a copy of it', () => {
  const step = fc.constantFrom(
    'spec',
    'status',
    'interfaces',
    '0',
    'dhcp',
    'mac',
    'ip',
    'disks',
    'state',
    'x',
  );
  const change = fc.record({ path: fc.array(step, { minLength: 1, maxLength: 5 }), to: fc.jsonValue() });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      const first = validateAs(hardwareKind, hardware({ interfaces }));
      assert.ok(first.ok);
      let current: unknown = first.resource;
      for (const { path, to } of changes) {
        const next = changed(current, path, to) as Fields;
        const copy = structuredClone(next);
        const result = validateAs(hardwareKind, next);
        assert.deepEqual(result, validateAs(hardwareKind, copy));
        if (result.ok) current = result.resource;
      }
    }),
    { seed: 16, numRuns: 500 },
  );
});

test('a spec that passed is not checked again, also when it is only in the store', () => {
  const submitted = hardware({ interfaces });
  const first = validateAs(hardwareKind, submitted);
  assert.ok(first.ok);
  const again = validateAs(hardwareKind, { ...first.resource, status: { state: 'in_use' } });
  assert.ok(again.ok);
  assert.equal(again.resource.spec, first.resource.spec);
  const stored = structuredClone(first.resource);
  assert.ok(validateAs(hardwareKind, { ...stored }, stored).ok);
  const ofStored = validateAs(hardwareKind, { ...stored, status: { state: 'in_use' } }, stored);
  assert.ok(ofStored.ok);
  assert.equal(ofStored.resource.spec, stored.spec);
});

test('a value passes only for the schema that it was checked against', () => {
  const kindOf = (most: number): Kind => ({
    ...hardwareKind,
    rules: () => [],
    spec: Type.Object({ count: Type.Integer({ maximum: most }) }),
  });
  const [wide, narrow] = [kindOf(10), kindOf(5)];
  const object = hardware({ count: 7 });
  const passed = validateAs(wide, object);
  assert.ok(passed.ok);
  const stored = structuredClone(passed.resource);
  assert.ok(validateAs(wide, { ...stored }, stored).ok);
  for (const spec of [passed.resource.spec, stored.spec])
    assert.equal(validateAs(narrow, { ...object, spec }).ok, false);
});
