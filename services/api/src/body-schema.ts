/** Validates a small request body against its JSON schema in the OpenAPI document. */
import { isRecord, nearest, ProblemList, type Path, type Problem } from '@tinkerbell/resources';

/** The supported keywords. */
export interface BodySchema {
  readonly type?: 'object' | 'string' | 'integer' | 'boolean' | 'array';
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly additionalProperties?: BodySchema;
  readonly items?: BodySchema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maxLength?: number;
  /** Returns the first schema whose type matches the value. Types differ. */
  readonly oneOf?: readonly BodySchema[];
}

/** Returns all problems with their paths, including unknown fields: the first hundred, and the number of the rest. */
export function bodyProblems(schema: BodySchema, value: unknown): readonly Problem[] {
  const problems = new ProblemList();
  problems.addAll(problemsOf(schema, value, []));
  return problems.all();
}

function problemsOf(schema: BodySchema, value: unknown, path: Path): readonly Problem[] {
  if (schema.oneOf !== undefined) return choiceProblems(schema.oneOf, value, path);
  if (!isOfType(schema.type, value))
    return [{ reason: 'invalid', path, value, message: `must be ${articled(schema)}` }];
  if (typeof value === 'string') return textProblems(schema, value, path);
  if (typeof value === 'number' && value < (schema.minimum ?? -Infinity))
    return [{ reason: 'invalid', path, value, message: `must be at least ${schema.minimum}` }];
  if (Array.isArray(value)) {
    const items = schema.items ?? {};
    return value.flatMap((item, index) => problemsOf(items, item, [...path, index]));
  }
  return isRecord(value) ? objectProblems(schema, value, path) : [];
}

function choiceProblems(schemas: readonly BodySchema[], value: unknown, path: Path): readonly Problem[] {
  const fitting = schemas.find(({ type }) => isOfType(type, value));
  if (fitting !== undefined) return problemsOf(fitting, value, path);
  return [{ reason: 'invalid', path, value, message: `must be ${schemas.map(articled).join(' or ')}` }];
}

function textProblems(schema: BodySchema, value: string, path: Path): readonly Problem[] {
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const message = `must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`;
    return [{ reason: 'not-supported', path, value, message }];
  }
  if (value.length <= (schema.maxLength ?? Infinity)) return [];
  return [{ reason: 'invalid', path, value, message: `must be at most ${schema.maxLength} characters` }];
}

function objectProblems(schema: BodySchema, value: Record<string, unknown>, path: Path): readonly Problem[] {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name): Problem => ({ reason: 'required', path: [...path, name], message: 'is required' }));
  const fields = Object.entries(value).flatMap(([name, item]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return field === undefined
      ? [unknownField(name, Object.keys(properties), path)]
      : problemsOf(field, item, [...path, name]);
  });
  return [...missing, ...fields];
}

function unknownField(name: string, known: readonly string[], path: Path): Problem {
  const close = nearest(name, known);
  const hint = close === undefined ? `known fields: ${known.join(', ')}` : `did you mean "${close}"?`;
  return {
    reason: 'unknown-field',
    path: [...path, name],
    message: `unknown field ${JSON.stringify(name)}; ${hint}`,
  };
}

function isOfType(type: BodySchema['type'], value: unknown): boolean {
  switch (type) {
    case undefined:
      return true;
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function articled({ type, enum: values }: BodySchema): string {
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(', ');
  if (type === 'integer') return 'a whole number';
  return `${/^[aeio]/.test(type ?? '') ? 'an' : 'a'} ${type ?? 'value'}`;
}
