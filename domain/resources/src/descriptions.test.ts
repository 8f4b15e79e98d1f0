import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crdFor, isRecord, kinds, type Kind } from './index.ts';

/** `explain` prints a description on one line, so two short sentences fit. */
const LENGTH_MAX = 240;

interface Field {
  readonly path: string;
  readonly description: unknown;
}

/**
 * Lists every field below a schema, with the path that `explain` accepts. Items of lists and values of maps
 * have no path of their own.
 */
function fieldsOf(schema: unknown, path: string): readonly Field[] {
  if (!isRecord(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  const own = isRecord(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, field]) => [
      { path: `${path}.${name}`, description: isRecord(field) ? field['description'] : undefined },
      ...fieldsOf(field, `${path}.${name}`),
    ]),
    ...fieldsOf(items, path),
    ...fieldsOf(additionalProperties, path),
  ];
}

interface Root {
  readonly properties: Readonly<Record<string, object>>;
}

function rootOf(kind: Kind): Root {
  const spec = crdFor(kind)['spec'] as { versions: readonly { schema: { openAPIV3Schema: Root } }[] };
  const [version] = spec.versions;
  assert.ok(version !== undefined);
  return version.schema.openAPIV3Schema;
}

function fieldsOfKind(kind: Kind): readonly Field[] {
  const { metadata: _metadata, ...properties } = rootOf(kind).properties;
  return fieldsOf({ properties }, kind.singular);
}

/** One or more sentences. The first may begin with a name such as iPXE. */
function isSentence(description: unknown): boolean {
  return (
    typeof description === 'string' && description.length <= LENGTH_MAX && /^\S.{8,}\.$/.test(description)
  );
}

for (const kind of kinds) {
  test(`every field of ${kind.kind} (${kind.group}) has a description`, () => {
    const fields = fieldsOfKind(kind);
    assert.ok(fields.length > 5, `the walk found only ${fields.length} fields`);
    const wanting = fields.filter(({ description }) => !isSentence(description));
    assert.deepEqual(
      wanting.map(({ path, description }) => `${path}: ${JSON.stringify(description)}`),
      [],
    );
  });
}

test('metadata has only a type, because kube-apiserver refuses a CRD that describes it', () => {
  for (const kind of kinds) assert.deepEqual(rootOf(kind).properties['metadata'], { type: 'object' });
});
