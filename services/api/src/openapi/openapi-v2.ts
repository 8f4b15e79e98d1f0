/** The OpenAPI v2 document, which `kubectl` before 1.27 uses to validate and explain. */
import { isRecord, type Kind } from '@tinkerbell/resources';
import { objectMetaSchemas } from './object-meta.ts';
import { gvkOf, kindSchema, objectPathOf, schemaNameOf } from './openapi-v3.ts';

const REFERENCE = '#/definitions/';

export interface SwaggerDocument {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly definitions: Readonly<Record<string, SwaggerSchema>>;
}

export interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'query';
    readonly type: 'string';
    readonly description: string;
  }[];
  readonly gvk: object;
}

export type SwaggerSchema = Readonly<Record<string, unknown>>;

/** Yields after each kind. */
export function* swaggerOf(kinds: readonly Kind[]): Generator<undefined, SwaggerDocument> {
  const own: [name: string, schema: SwaggerSchema][] = [];
  for (const kind of kinds) {
    own.push([schemaNameOf(kind), plainSchema(kindSchema(kind, REFERENCE))]);
    yield undefined;
  }
  const metas = Object.entries(objectMetaSchemas(REFERENCE)).map(
    ([name, schema]) => [name, plainSchema(schema)] as const,
  );
  return {
    swagger: '2.0',
    info: { title: 'Tinkerbell', version: 'v1alpha1' },
    paths: Object.fromEntries(kinds.map((kind) => [objectPathOf(kind), { patch: operationOf(kind) }])),
    definitions: Object.fromEntries([...own, ...metas]),
  };
}

/** Returns the schema as JSON, with extensions under their names. */
export function swaggerJson(document: SwaggerDocument): object {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([verb, { parameters, gvk }]) => [
        verb,
        { parameters, 'x-kubernetes-group-version-kind': gvk, responses: { 200: { description: 'OK' } } },
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

/** `kubectl --dry-run=server` requires that a patch supports dryRun. */
function operationOf(kind: Kind): Operation {
  const parameter = (name: string, description: string) => ({
    name,
    in: 'query' as const,
    type: 'string' as const,
    description,
  });
  return {
    parameters: [
      parameter('dryRun', 'All: process the request without storing the result.'),
      parameter('fieldManager', 'Name of the writer.'),
      parameter('fieldValidation', 'Handling of unknown fields: Strict, Warn or Ignore.'),
    ],
    gvk: gvkOf(kind),
  };
}

const keywords: readonly string[] = [
  '$ref',
  'description',
  'type',
  'format',
  'required',
  'default',
  'enum',
  'pattern',
  'minimum',
  'maximum',
];

/** Restricts a schema to version 2, which has no type unions and no null. A free value has no type. */
function plainSchema(schema: Readonly<Record<string, unknown>>): SwaggerSchema {
  const { properties, items, additionalProperties } = schema;
  const isFree =
    schema['x-kubernetes-int-or-string'] === true ||
    (schema['x-kubernetes-preserve-unknown-fields'] === true && properties === undefined);
  if (isFree) return { description: schema['description'] ?? '' };
  const kept = Object.entries(schema).filter(
    ([key]) => keywords.includes(key) || (key.startsWith('x-kubernetes-') && !key.endsWith('validations')),
  );
  const fields = isRecord(properties) ? { properties: plainSchemas(properties) } : {};
  return {
    ...Object.fromEntries(kept),
    ...fields,
    ...(isRecord(items) ? { items: plainSchema(items) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: plainSchema(additionalProperties) } : {}),
  };
}

function plainSchemas(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, SwaggerSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, isRecord(one) ? plainSchema(one) : {}]),
  );
}
