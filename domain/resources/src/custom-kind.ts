/** Derives the kinds that a CustomResourceDefinition defines: one for each served version. */
import { isRecord } from '@tinkerbell/yaml/json';
import type { CustomResourceDefinition } from './core/custom-resource-definition.ts';
import type { Kind, PrinterColumn } from './kind.ts';
import type { Problem } from './problem.ts';
import type { Schema } from './schema.ts';
import { kindFault } from './validate.ts';

/** The kinds to serve. Empty when no version is served. */
export function kindsOfDefinition(definition: CustomResourceDefinition): readonly Kind[] {
  const { spec } = definition;
  if (spec === undefined) return [];
  const served = spec.versions.filter((version) => version.served);
  const stored = spec.versions.find(({ storage }) => storage);
  if (spec.versions.length === 1 || stored === undefined)
    return served.map((version) => kindOfVersion(spec, version));
  const storedAs = kindOfVersion(spec, stored);
  return served.map((version) => ({ ...kindOfVersion(spec, version), storedAs }));
}

/** Returns the faults of schemas that are unusable. Yields often. */
export function* definitionSchemaProblems(
  definition: CustomResourceDefinition,
): Generator<undefined, readonly Problem[]> {
  const { spec } = definition;
  const problems: Problem[] = [];
  for (const [index, version] of (spec?.versions ?? []).entries()) {
    const message = spec === undefined ? undefined : yield* kindFault(kindOfVersion(spec, version));
    const path = ['spec', 'versions', index, 'schema', 'openAPIV3Schema'];
    if (message !== undefined) problems.push({ reason: 'invalid', path, message });
  }
  return problems;
}

type DefinitionSpec = NonNullable<CustomResourceDefinition['spec']>;

type Version = DefinitionSpec['versions'][number];

function kindOfVersion(spec: DefinitionSpec, version: Version): Kind {
  const { names, group, scope } = spec;
  const given: Schema = version.schema?.openAPIV3Schema ?? { type: 'object' };
  const { description } = given;
  return {
    ...namesOf(names),
    group,
    version: version.name,
    ...(scope === 'Cluster' ? { scope } : {}),
    description: typeof description === 'string' ? description : '',
    printerColumns: (version.additionalPrinterColumns as readonly PrinterColumn[] | undefined) ?? [],
    ...statusOf(version, given),
    schema: wholeObjectSchema(given),
  };
}

function namesOf(names: DefinitionSpec['names']) {
  const { kind, plural, singular, shortNames = [], categories = [], listKind } = names;
  return {
    kind,
    plural,
    singular: singular ?? kind.toLowerCase(),
    shortNames,
    categories,
    listKind: listKind ?? `${kind}List`,
  };
}

function statusOf({ subresources }: Version, given: Schema): { readonly status?: Schema } {
  if (subresources?.status === undefined) return {};
  return { status: given.properties?.['status'] ?? { type: 'object' } };
}

/** Kubernetes itself validates apiVersion, kind and metadata, whatever the definition contains for them. */
function wholeObjectSchema(given: Schema): Schema {
  const { properties = {}, ...rest } = prunable(given);
  return {
    ...rest,
    type: 'object',
    properties: {
      ...properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
    },
  };
}

/** An object for which the definition lists no fields has none, unless it allows any fields. */
function prunable(schema: Schema): Schema;
function prunable(schema: unknown): unknown;
function prunable(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const inner = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'items') return [key, prunable(value)];
    if (key === 'additionalProperties') return [key, value === true ? {} : prunable(value)];
    if (key !== 'properties' || !isRecord(value)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, prunable(one)]))];
  });
  const isBare =
    schema['type'] === 'object' &&
    schema['properties'] === undefined &&
    schema['additionalProperties'] === undefined &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true;
  return Object.fromEntries([
    ...inner.filter(([key]) => key !== '$ref' && key !== '$id'),
    ...(isBare ? [['x-kubernetes-prune-free-objects', true] as const] : []),
  ]);
}
