import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  bootDeviceExtensions,
  ipmiOptionExtensions,
  builtInKinds,
  collectionOf,
  crdFor,
  hardwareKind,
  hardwareStatusExtensions,
  kinds,
  workflowActionExtensions,
  workflowStatusExtensions,
} from './index.ts';

/** Upstream's CRDs without their descriptions. Our kinds must have the same meaning. */
const upstream = JSON.parse(
  readFileSync(new URL('testdata/upstream-crds.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

/** Fields that we add. Upstream's clients ignore them. See docs/decisions. */
const extensions = [
  ...workflowActionExtensions.map((field) => `/status/tasks/actions/${field}`),
  ...workflowStatusExtensions.map((field) => `/status/${field}`),
  ...[
    '/spec/tasks',
    '/spec/task',
    '/spec/bootOptions/custombootConfig/preparingActions',
    '/spec/bootOptions/custombootConfig/postActions',
  ].flatMap((action) => bootDeviceExtensions.map((field) => `${action}/bootDevice/${field}`)),
  ...ipmiOptionExtensions.map((field) => `/spec/connection/providerOptions/ipmitool/${field}`),
];

function normalize(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item, path));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(
      ([key, item]) =>
        !(key === 'description' && typeof item === 'string') && !(key === 'priority' && item === 0),
    )
    .filter(([key, item]) => !(key === 'properties' && Object.keys(item as object).length === 0))
    .filter(([key]) => !extensions.includes(`${path}/${key}`))
    .map(([key, item]): [string, unknown] => {
      if (key === 'required' && Array.isArray(item)) return [key, item.toSorted()];
      const inside = ['properties', 'items', 'additionalProperties'].includes(key) ? path : `${path}/${key}`;
      return [key, normalize(item, inside)];
    });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Limits that we add to every text, list and map. Upstream has one `maxProperties`, which stays. */
const limits = ['maxLength', 'maxItems', 'maxProperties'];

function withoutLimits(ours: unknown, theirs: unknown): unknown {
  if (Array.isArray(ours))
    return ours.map((item, at) => withoutLimits(item, (theirs as unknown[] | undefined)?.[at]));
  if (typeof ours !== 'object' || ours === null) return ours;
  const other = (theirs ?? {}) as Record<string, unknown>;
  const kept = Object.entries(ours).filter(
    ([key, value]) => typeof value !== 'number' || !limits.includes(key) || Object.hasOwn(other, key),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutLimits(value, other[key])]));
}

function withoutPrefix(crd: unknown): {
  metadata: unknown;
  spec: { versions: { schema: { openAPIV3Schema: unknown } }[] };
} {
  return crd as never;
}

/** Upstream's Hardware has no conditions. Those of its other kinds are compared. */
function withoutConditions(key: string, value: unknown): unknown {
  return hardwareStatusExtensions.includes(key) ? undefined : value;
}

for (const kind of kinds) {
  test(`the CRD of ${kind.kind} equals upstream's in meaning`, () => {
    const ours = withoutPrefix(
      JSON.parse(JSON.stringify(crdFor(kind)), kind === hardwareKind ? withoutConditions : undefined),
    );
    const theirs = withoutPrefix(upstream[collectionOf(kind)]);
    const schema = (crd: typeof ours) => crd.spec.versions[0]?.schema.openAPIV3Schema;
    const unlimited = withoutLimits(schema(ours), schema(theirs));
    assert.deepEqual(normalize(unlimited), normalize(schema(theirs)));
    const rest = (crd: typeof ours) =>
      normalize({ ...crd.spec, versions: crd.spec.versions.map((v) => ({ ...v, schema: 0 })) });
    assert.deepEqual(rest(ours), rest(theirs));
    assert.deepEqual(ours.metadata, theirs.metadata);
  });
}

/** Returns texts, lists and maps without a limit. */
function unlimited(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, properties, items, additionalProperties, ...own } = schema as Record<string, unknown>;
  if (own['x-kubernetes-preserve-unknown-fields'] === true) return [];
  const isMap = type === 'object' && additionalProperties !== undefined;
  const limits: Readonly<Record<string, string>> = { string: 'maxLength', array: 'maxItems' };
  const needed = limits[String(type)] ?? (isMap ? 'maxProperties' : undefined);
  const isOpen = needed !== undefined && own[needed] === undefined && own['enum'] === undefined;
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => unlimited(field, `${path}.${name}`)),
    ...unlimited(items, `${path}[]`),
    ...unlimited(additionalProperties, `${path}{}`),
  ];
}

test('every text, list and map of every kind has a limit', () => {
  for (const kind of builtInKinds)
    for (const [name, schema] of Object.entries({ spec: kind.spec, status: kind.status, ...kind.fields }))
      assert.deepEqual(unlimited(schema, `${kind.kind}.${name}`), []);
});
