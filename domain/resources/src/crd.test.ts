import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crdFor, kinds, collectionOf } from './index.ts';

/** Upstream's CRDs without their prose; what our kinds must equal in meaning. */
const upstream = JSON.parse(
  readFileSync(new URL('testdata/upstream-crds.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

/** Fields we add. Upstream's clients ignore them; see docs/decisions. */
const extensions = [
  ...[
    'again',
    'attempt',
    'backoff',
    'breakpoint',
    'deadline',
    'if',
    'notBefore',
    'onFailure',
    'onInterrupted',
    'retried',
    'retries',
  ].map((field) => `/status/tasks/actions/${field}`),
  '/status/operations',
  '/status/paused',
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

function withoutPrefix(crd: unknown): {
  metadata: unknown;
  spec: { versions: { schema: { openAPIV3Schema: unknown } }[] };
} {
  return crd as never;
}

for (const kind of kinds) {
  test(`the CRD of ${kind.kind} equals upstream's in meaning`, () => {
    const ours = withoutPrefix(JSON.parse(JSON.stringify(crdFor(kind))));
    const theirs = withoutPrefix(upstream[collectionOf(kind)]);
    const schema = (crd: typeof ours) => normalize(crd.spec.versions[0]?.schema.openAPIV3Schema);
    assert.deepEqual(schema(ours), schema(theirs));
    const rest = (crd: typeof ours) =>
      normalize({ ...crd.spec, versions: crd.spec.versions.map((v) => ({ ...v, schema: 0 })) });
    assert.deepEqual(rest(ours), rest(theirs));
    assert.deepEqual(ours.metadata, theirs.metadata);
  });
}
