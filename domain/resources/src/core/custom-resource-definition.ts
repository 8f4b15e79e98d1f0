/** CustomResourceDefinition (apiextensions.k8s.io/v1). */
import { collectionOf } from '../kind.ts';
import type { KindOf } from '../kind-of.ts';
import type { Problem } from '../problem.ts';
import type { Resource } from '../resource.ts';
import { Type, type Schema, type Static } from '../schema.ts';
import { int32, integer, mapOf, oneOf } from '../schema-builders.ts';

const text = () => Type.Optional(Type.String());
const texts = () => Type.Optional(Type.Array(Type.String()));
const free = () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });

/** The limit of a column's path, which is read for each row of a table. */
const JSON_PATH_MAX = 1024;
const COLUMNS_MAX = 64;
/** Limits the versions. Each is a kind that is served. */
const VERSIONS_MAX = 32;

const Names = Type.Object({
  categories: texts(),
  kind: Type.String({ minLength: 1, maxLength: 63 }),
  listKind: text(),
  plural: Type.String({ pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' }),
  shortNames: texts(),
  singular: text(),
});

const Version = Type.Object({
  additionalPrinterColumns: Type.Optional(
    Type.Array(
      Type.Object({
        description: text(),
        format: text(),
        jsonPath: Type.String({ maxLength: JSON_PATH_MAX }),
        name: Type.String(),
        priority: Type.Optional(int32()),
        type: oneOf(['integer', 'number', 'string', 'boolean', 'date']),
      }),
      { maxItems: COLUMNS_MAX },
    ),
  ),
  deprecated: Type.Optional(Type.Boolean()),
  deprecationWarning: text(),
  name: Type.String({ pattern: '^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$' }),
  schema: Type.Optional(Type.Object({ openAPIV3Schema: Type.Optional(Type.Unsafe<Schema>(free())) })),
  selectableFields: Type.Optional(Type.Array(Type.Object({ jsonPath: Type.String() }))),
  served: Type.Boolean(),
  storage: Type.Boolean(),
  subresources: Type.Optional(Type.Object({ status: Type.Optional(free()), scale: Type.Optional(free()) })),
});

const Condition = Type.Object({
  lastTransitionTime: text(),
  message: text(),
  observedGeneration: Type.Optional(integer()),
  reason: text(),
  status: Type.String(),
  type: Type.String(),
});
export type DefinitionCondition = Static<typeof Condition>;

const DefinitionSpec = Type.Object({
  conversion: Type.Optional(
    Type.Object({ strategy: oneOf(['None', 'Webhook']), webhook: Type.Optional(free()) }),
  ),
  group: Type.String({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' }),
  names: Names,
  preserveUnknownFields: Type.Optional(Type.Boolean()),
  scope: oneOf(['Cluster', 'Namespaced']),
  versions: Type.Array(Version, { minItems: 1, maxItems: VERSIONS_MAX }),
});
type DefinitionSpec = Static<typeof DefinitionSpec>;

const DefinitionStatus = Type.Object({
  acceptedNames: Type.Optional(mapOf({})),
  conditions: Type.Optional(Type.Array(Condition)),
  observedGeneration: Type.Optional(integer()),
  storedVersions: texts(),
});

export type CustomResourceDefinition = Resource<DefinitionSpec, Static<typeof DefinitionStatus>>;

export const customResourceDefinitionKind: KindOf<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  description: 'The definition of a custom kind that the API serves.',
  printerColumns: [{ name: 'Created At', jsonPath: '.metadata.creationTimestamp', type: 'string' }],
  spec: DefinitionSpec,
  status: DefinitionStatus,
  rules: definitionProblems,
};

type Submitted = CustomResourceDefinition & Readonly<Record<string, unknown>>;

function definitionProblems(definition: Submitted, before: Submitted | undefined): readonly Problem[] {
  const { spec, metadata } = definition;
  if (spec === undefined) return [{ reason: 'required', path: ['spec'], message: 'is required' }];
  const problems: Problem[] = [];
  const expected = collectionOf({ plural: spec.names.plural, group: spec.group });
  if (metadata.name !== expected) {
    const message = `must be spec.names.plural and spec.group: ${JSON.stringify(expected)}`;
    problems.push({ reason: 'invalid', path: ['metadata', 'name'], value: metadata.name, message });
  }
  const stored = spec.versions.filter((one) => one.storage);
  if (stored.length !== 1)
    problems.push({
      reason: 'invalid',
      path: ['spec', 'versions'],
      message: 'one version must have storage: true',
    });
  for (const [index, version] of spec.versions.entries()) {
    if (version.schema?.openAPIV3Schema !== undefined) continue;
    const path = ['spec', 'versions', index, 'schema', 'openAPIV3Schema'];
    problems.push({ reason: 'required', path, message: 'every version needs a schema' });
  }
  if (spec.conversion?.strategy === 'Webhook') {
    const message = 'must be None: webhooks are not called';
    const path = ['spec', 'conversion', 'strategy'];
    problems.push({ reason: 'not-supported', path, value: 'Webhook', message });
  }
  if (before?.spec !== undefined && before.spec.scope !== spec.scope)
    problems.push({
      reason: 'invalid',
      path: ['spec', 'scope'],
      value: spec.scope,
      message: 'field is immutable',
    });
  return problems;
}
