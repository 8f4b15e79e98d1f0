import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeKubernetes,
  encodeKubernetes,
  encodeListItem,
  encodeListOf,
  encodeWatchEvent,
} from './index.ts';
import { objects, withoutEmpty } from './testing/objects.ts';

const limits = { nodes: 50_000, depth: 100, keys: 1024 };

function encoded(object: object): Uint8Array {
  const bytes = encodeKubernetes(object);
  assert.ok(bytes !== undefined);
  return bytes;
}

function decoded(bytes: Uint8Array): object {
  const found = decodeKubernetes(bytes, limits);
  assert.ok(found.ok, found.ok ? '' : found.message);
  return found.value;
}

function refusal(bytes: Uint8Array, narrow: Partial<typeof limits> = {}): string {
  const found = decodeKubernetes(bytes, { ...limits, ...narrow });
  assert.ok(!found.ok);
  return `${found.reason}: ${found.message}`;
}

/** A ConfigMap in its envelope, with these bytes as the message. */
function configMap(...fields: readonly (readonly number[])[]): Uint8Array {
  const raw = fields.flat();
  const type = new TextEncoder().encode('v1');
  const kind = new TextEncoder().encode('ConfigMap');
  const typeMeta = [0x0a, type.length, ...type, 0x12, kind.length, ...kind];
  return Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x0a, typeMeta.length, ...typeMeta, 0x12, raw.length, ...raw);
}

test('a ConfigMap is encoded to these bytes', () => {
  const bytes = configMap(
    // metadata (1), with name (1)
    [0x0a, 3, 0x0a, 1, 0x61],
    // data (2), an entry with key (1) and value (2)
    [0x12, 6, 0x0a, 1, 0x6b, 0x12, 1, 0x76],
    // immutable (4), which is a pointer: false is kept
    [0x20, 0],
  );
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { k: 'v' },
    immutable: false,
  };
  assert.deepEqual(decoded(bytes), object);
  assert.deepEqual(encoded(object), bytes);
});

for (const object of objects) {
  test(`${object.kind} is the same after protobuf`, () => {
    assert.deepEqual(decoded(encoded(object)), withoutEmpty(object));
  });
}

test('custom resources have no protobuf', () => {
  assert.equal(encodeKubernetes({ apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Workflow' }), undefined);
  assert.equal(encodeKubernetes({ apiVersion: '__proto__', kind: 'ConfigMap' }), undefined);
  assert.equal(encodeKubernetes({ apiVersion: 'v1', kind: 'ObjectReference' }), undefined);
});

test('a list consists of its items and its metadata, in any order', () => {
  const head = { apiVersion: 'v1', kind: 'ConfigMapList' };
  const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, data: { x: '' } }];
  const pieces = items.map((one) => encodeListItem(head, one));
  const bytes = encodeListOf(head, { resourceVersion: '7', continue: 'c' }, pieces);
  assert.deepEqual(decoded(bytes), { ...head, metadata: { resourceVersion: '7', continue: 'c' }, items });
});

test('a watch event consists of its length, its type and an object in its envelope', () => {
  const object = encoded({ apiVersion: 'v1', kind: 'Secret' });
  const frame = encodeWatchEvent('ADDED', object);
  assert.equal(new DataView(frame.buffer).getUint32(0), frame.length - 4);
  assert.deepEqual([...frame.subarray(4, 11)], [0x0a, 5, ...new TextEncoder().encode('ADDED')]);
  // object (2) has raw (1)
  assert.deepEqual([...frame.subarray(11, 15)], [0x12, object.length + 2, 0x0a, object.length]);
  assert.deepEqual(frame.subarray(15), object);
});

test('a type that the bytes omit is the expected one', () => {
  const bytes = Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x12, 0);
  const expected = { apiVersion: 'v1', kind: 'Secret' };
  assert.deepEqual(decodeKubernetes(bytes, limits, expected), { ok: true, value: expected });
  assert.match(refusal(bytes), /^invalid: no kind "" of apiVersion "" is served as protobuf/);
});

test('repeated fields follow protobuf: the last value, all items, both parts of a message', () => {
  const bytes = configMap(
    [0x0a, 3, 0x0a, 1, 0x61],
    [0x0a, 6, 0x12, 1, 0x67, 0x72, 1, 0x66],
    [0x12, 6, 0x0a, 1, 0x6b, 0x12, 1, 0x76],
    [0x12, 3, 0x0a, 1, 0x6b],
    [0x20, 1, 0x20, 0],
  );
  assert.deepEqual(decoded(bytes), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', generateName: 'g', finalizers: ['f'] },
    data: { k: '' },
    immutable: false,
  });
});

test('reports the field, the fault and the place of invalid bytes', () => {
  assert.match(refusal(Uint8Array.of()), /does not begin with the bytes 6b 38 73 00/);
  assert.match(refusal(new TextEncoder().encode('{"kind":"Secret"}')), /does not begin with/);
  assert.match(
    refusal(configMap([0x0a, 100])),
    /^invalid: metadata: has a length of 100 bytes .*, at byte 2$/,
  );
  assert.match(refusal(configMap([0x08, 1])), /metadata: has wire type 0, and wire type 2 is expected/);
  assert.match(refusal(configMap([0x0a, 3, 0x0a, 5, 0x61])), /metadata\.name: /);
  assert.match(refusal(configMap([0x0a, 3, 0x0a, 1, 0xff])), /metadata\.name: is not UTF-8 text/);
  assert.match(refusal(configMap([0x00])), /^invalid: /);
  assert.match(refusal(configMap([0x0c])), /^invalid: /);
  // creationTimestamp with the year 300,000
  const far = [0x42, 7, 0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40];
  assert.match(
    refusal(configMap([0x0a, far.length, ...far])),
    /metadata\.creationTimestamp: .*outside the years/,
  );
  // fieldsV1 that is not JSON
  const managed = [0x8a, 0x01, 5, 0x3a, 3, 0x0a, 1, 0x7b];
  assert.match(refusal(configMap([0x0a, managed.length, ...managed])), /managedFields\.fieldsV1: /);
});

test('enforces the limits of fields, of levels and of keys', () => {
  const data = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, '']));
  const bytes = encoded({ apiVersion: 'v1', kind: 'ConfigMap', data });
  assert.match(refusal(bytes, { keys: 99 }), /^too-large: data: more than 99 keys/);
  assert.match(refusal(bytes, { nodes: 99 }), /^too-large: more than 99 fields/);
  let schema: object = { type: 'string' };
  for (let level = 0; level < 200; level++) schema = { not: schema };
  const spec = { versions: [{ schema: { openAPIV3Schema: schema } }] };
  const deep = encoded({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec });
  assert.match(refusal(deep), /^too-large: .*more than 100 levels/);
  const managedFields = [{ fieldsV1: { a: [[[[[]]]]] } }];
  const json = encoded({ apiVersion: 'v1', kind: 'Secret', metadata: { managedFields } });
  assert.match(refusal(json, { depth: 6 }), /^too-large: metadata\.managedFields\.fieldsV1: /);
});

/** Bytes that are nearly an object, generated by fast-check, which prints the seed. */
const hostile = fc
  .tuple(
    fc.constantFrom(...objects.map(encoded)),
    fc.array(
      fc.record({
        act: fc.constantFrom('flip', 'cut', 'insert', 'length', 'repeat', 'group'),
        at: fc.nat(),
        byte: fc.nat(255),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  )
  .map(([bytes, acts]) => acts.reduce<Uint8Array>(damaged, bytes));

const longLength = [0x0a, 0xff, 0xff, 0xff, 0xff, 0x07];

function damaged(
  bytes: Uint8Array,
  { act, at: place, byte }: { act: string; at: number; byte: number },
): Uint8Array {
  const at = place % (bytes.length + 1);
  const [before, after] = [[...bytes.subarray(0, at)], [...bytes.subarray(at)]];
  switch (act) {
    case 'flip':
      return Uint8Array.from([...before, byte, ...after.slice(1)]);
    case 'cut':
      return Uint8Array.from(before);
    case 'insert':
      return Uint8Array.from([...before, byte, ...after]);
    case 'length':
      return Uint8Array.from([...before, ...longLength, ...after]);
    case 'repeat':
      return Uint8Array.from([...before, ...after.slice(0, byte), ...after]);
    default:
      return Uint8Array.from([...before, ...Array.from({ length: byte }, () => 0x0b), ...after]);
  }
}

test('never throws on hostile bytes, and can write what it reads', () => {
  fc.assert(
    fc.property(hostile, (bytes) => {
      const found = decodeKubernetes(bytes, limits);
      if (!found.ok) return;
      const again = decodeKubernetes(encoded(found.value), limits);
      assert.ok(again.ok, again.ok ? '' : again.message);
      assert.deepEqual(decoded(encoded(again.value)), again.value);
    }),
    { numRuns: 3000 },
  );
});

test('writes nothing for a value with the wrong type', () => {
  const wrong = {
    metadata: { name: 1, labels: 'x', creationTimestamp: 'soon', finalizers: {} },
    data: { a: 1 },
  };
  const found = decoded(encoded({ apiVersion: 'v1', kind: 'Secret', ...wrong, immutable: 'yes' }));
  assert.deepEqual(found, { apiVersion: 'v1', kind: 'Secret', metadata: {}, data: { a: '' } });
});
