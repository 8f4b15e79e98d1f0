/** Describes a field of a kind from its OpenAPI schema. Pure. */
import { isRecord, nearest } from '@tinkerbell/resources';
import { usageFailure } from '../failure.ts';
import { alignedText } from '../output/table-text.ts';

export type SchemaNode = Readonly<Record<string, unknown>>;

export interface Explained {
  /** `hardware.spec.interfaces` */
  readonly path: string;
  readonly schema: SchemaNode;
}

/** Returns the fields of an object, of the items of a list, or of the values of a map. */
function propertiesOf(schema: SchemaNode): Readonly<Record<string, SchemaNode>> {
  for (const inner of [schema['properties'], schema['items'], schema['additionalProperties']]) {
    if (!isRecord(inner)) continue;
    return inner === schema['properties'] ? nodesIn(inner) : propertiesOf(inner);
  }
  return {};
}

function nodesIn(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, SchemaNode>> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, one]) => (isRecord(one) ? [[name, one]] : [])),
  );
}

/** Walks down the path, which may omit numbers, `[]` and keys of maps. Throws a usage failure with the nearest name. */
export function schemaAt(kind: string, fields: readonly string[], root: SchemaNode): Explained {
  let schema = root;
  let path = kind;
  for (const field of fields) {
    const properties = propertiesOf(schema);
    const next = properties[field];
    if (next === undefined) throw unknownField(path, field, Object.keys(properties));
    schema = next;
    path = `${path}.${field}`;
  }
  return { path, schema };
}

function unknownField(path: string, field: string, known: readonly string[]): Error {
  if (known.length === 0) return usageFailure(`${path} has no field "${field}", because it has no fields`);
  const close = nearest(field, known);
  const hint = close === undefined ? `known fields: ${known.join(', ')}` : `did you mean ${path}.${close}?`;
  return usageFailure(`${path} has no field "${field}"`, hint);
}

/** Returns `[]Object`, `map[string]string`, `integer (int64)`, and so on. */
export function typeText(schema: SchemaNode): string {
  const { type, items, additionalProperties, format } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (type === 'array') return `[]${isRecord(items) ? typeText(items) : 'any'}`;
  if (isRecord(additionalProperties)) return `map[string]${typeText(additionalProperties)}`;
  if (type === 'object' || (type === undefined && isRecord(schema['properties']))) return 'Object';
  if (typeof type !== 'string') return 'any';
  return typeof format === 'string' ? `${type} (${format})` : type;
}

/** Returns the constraints of a value beside its type. */
function rulesOf(schema: SchemaNode): readonly string[] {
  const { default: preset, enum: values, pattern, minimum, maximum, minItems } = schema;
  return [
    ...(preset === undefined ? [] : [`default ${JSON.stringify(preset)}`]),
    ...(Array.isArray(values) ? [`one of ${values.map((one) => JSON.stringify(one)).join(', ')}`] : []),
    ...(typeof pattern === 'string' ? [`pattern ${pattern}`] : []),
    ...(minimum === undefined ? [] : [`at least ${JSON.stringify(minimum)}`]),
    ...(maximum === undefined ? [] : [`at most ${JSON.stringify(maximum)}`]),
    ...(minItems === undefined ? [] : [`at least ${JSON.stringify(minItems)} items`]),
  ];
}

export function explainText({ path, schema }: Explained, isRecursive: boolean): string {
  const description = schema['description'];
  const rules = itemsOf(schema).flatMap(rulesOf);
  const head = [
    [path, `<${typeText(schema)}>`],
    ...(typeof description === 'string' ? [['', description]] : []),
    ...rules.map((rule) => ['', rule]),
  ];
  const rows = fieldRows(schema, isRecursive, 1);
  const text = head.map(([name = '', value = '']) => (name === '' ? `  ${value}\n` : `${name}  ${value}\n`));
  return text.join('') + (rows.length === 0 ? '' : `\nFields:\n${alignedText(rows)}`);
}

function itemsOf(schema: SchemaNode): readonly SchemaNode[] {
  return isRecord(schema['items']) ? [schema, schema['items']] : [schema];
}

const DEPTH_MAX = 24;

function fieldRows(schema: SchemaNode, isRecursive: boolean, depth: number): readonly (readonly string[])[] {
  const required = requiredOf(schema);
  return Object.entries(propertiesOf(schema)).flatMap(([field, one]) => {
    const marks = [...(required.has(field) ? ['required'] : []), ...itemsOf(one).flatMap(rulesOf)];
    const description = typeof one['description'] === 'string' ? one['description'] : '';
    const about = [marks.join('; '), description].filter((part) => part !== '').join('. ');
    const row = [`${'  '.repeat(depth)}${field}`, typeText(one), about];
    return [row, ...(isRecursive && depth < DEPTH_MAX ? fieldRows(one, true, depth + 1) : [])];
  });
}

function requiredOf(schema: SchemaNode): ReadonlySet<string> {
  const { required, items, additionalProperties } = schema;
  if (Array.isArray(required)) return new Set(required.map(String));
  if (isRecord(items)) return requiredOf(items);
  return isRecord(additionalProperties) ? requiredOf(additionalProperties) : new Set();
}

/** Returns the schema of a kind in an OpenAPI v3 document. Follows references within the document. */
export function schemaIn(
  document: unknown,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): SchemaNode | undefined {
  const components = isRecord(document) ? document['components'] : undefined;
  const schemas = isRecord(components) ? components['schemas'] : undefined;
  if (!isRecord(schemas)) return undefined;
  const found = Object.values(schemas).find((schema) => {
    const list = isRecord(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
    return (
      Array.isArray(list) &&
      list
        .filter(isRecord)
        .some((one) => one['group'] === group && one['version'] === version && one['kind'] === kind)
    );
  });
  return isRecord(found) ? resolvedNode(found, schemas, 0) : undefined;
}

function resolved(value: unknown, schemas: Readonly<Record<string, unknown>>, depth: number): unknown {
  if (Array.isArray(value) && depth <= DEPTH_MAX)
    return value.map((one) => resolved(one, schemas, depth + 1));
  return isRecord(value) ? resolvedNode(value, schemas, depth) : value;
}

function resolvedNode(
  node: SchemaNode,
  schemas: Readonly<Record<string, unknown>>,
  depth: number,
): SchemaNode {
  if (depth > DEPTH_MAX) return node;
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(node['$ref']))?.[1];
  if (name !== undefined) {
    const named = schemas[name];
    return isRecord(named) ? resolvedNode(named, schemas, depth + 1) : {};
  }
  const [only, ...others] = Array.isArray(node['allOf']) ? (node['allOf'] as unknown[]) : [];
  if (isRecord(only) && others.length === 0) {
    const { allOf: _all, ...own } = node;
    return { ...resolvedNode(only, schemas, depth + 1), ...own };
  }
  return Object.fromEntries(
    Object.entries(node).map(([field, one]) => [field, resolved(one, schemas, depth + 1)]),
  );
}
