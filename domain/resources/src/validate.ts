/** Objects in, problems out: the schema by ajv, then what a schema cannot say. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Type, type Schema } from './schema.ts';
import { celFault, celProblems } from './cel-rules.ts';
import { dhcpProblems } from './hardware/hardware-rules.ts';
import { builtInKinds, kindFor } from './built-in-kinds.ts';
import { apiVersionOf, type Kind } from './kind.ts';
import { metadataProblems } from './metadata-rules.ts';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';
import type { Resource } from './resource.ts';
import { isRecord, schemaAt, structure, type Path } from './structure.ts';

export type Validated =
  | {
      readonly ok: true;
      readonly kind: Kind;
      /** With defaults filled in and unknown fields left out. */
      readonly resource: Resource;
      /** Fields that were left out. Strict callers refuse them. */
      readonly unknownFields: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Checks one object of any of our kinds; `value` is JSON of unknown shape. */
export function validateResource(value: unknown): Validated {
  if (!isRecord(value)) return refuse([], value, 'must be an object with apiVersion, kind and metadata');
  const found = kindOf(value);
  if ('problem' in found) return { ok: false, problems: [found.problem] };
  return validateAs(found.kind, value);
}

/** Checks an object that is known to be of the kind; `before` is what it was, when it is changed. */
export function validateAs(kind: Kind, submitted: Record<string, unknown>, before?: Resource): Validated {
  const value = kind.prepare?.(submitted) ?? submitted;
  const structured = structure(objectSchemaOf(kind), value);
  const problems = [...metadataProblems(value['metadata']), ...schemaProblems(kind, structured.value)];
  if (problems.length === 0) problems.push(...ruleProblems(kind, structured.value, before));
  if (problems.length > 0)
    return { ok: false, problems: [...problems, ...unknownProblems(kind, structured.unknownFields)] };
  return {
    ok: true,
    kind,
    resource: structured.value as Resource,
    unknownFields: unknownProblems(kind, structured.unknownFields),
  };
}

function ruleProblems(kind: Kind, value: unknown, before: Resource | undefined): readonly Problem[] {
  const object = value as Record<string, unknown>;
  const own = kind.kind === 'Hardware' ? dhcpProblems(value) : [];
  const cel = celProblems(objectSchemaOf(kind), value, before);
  return [...own, ...cel, ...(kind.rules?.(object, before as Record<string, unknown> | undefined) ?? [])];
}

function refuse(path: Path, value: unknown, message: string): Validated {
  return { ok: false, problems: [{ reason: 'invalid', path, value, message }] };
}

function kindOf(value: Record<string, unknown>): { kind: Kind } | { problem: Problem } {
  const apiVersion = value['apiVersion'];
  const name = value['kind'];
  if (typeof name !== 'string' || name === '') {
    const known = builtInKinds.map((kind) => kind.kind).join(', ');
    return { problem: { reason: 'required', path: ['kind'], message: `must be one of ${known}` } };
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    return {
      problem: {
        reason: 'required',
        path: ['apiVersion'],
        message: 'must be set, for example tinkerbell.org/v1alpha1',
      },
    };
  }
  const kind = kindFor(apiVersion, name);
  if (kind !== undefined) return { kind };
  const sameName = builtInKinds.find((one) => one.kind === name);
  if (sameName !== undefined) {
    return {
      problem: {
        reason: 'not-supported',
        path: ['apiVersion'],
        value: apiVersion,
        message: `${name} is in ${apiVersionOf(sameName)}`,
      },
    };
  }
  const close = nearest(
    name,
    builtInKinds.map((one) => one.kind),
  );
  const hint =
    close === undefined
      ? `known kinds: ${builtInKinds.map((one) => one.kind).join(', ')}`
      : `did you mean ${close}?`;
  return {
    problem: { reason: 'not-supported', path: ['kind'], value: name, message: `unknown kind; ${hint}` },
  };
}

const objectSchemas = new WeakMap<Kind, Schema>();

/** The schema of the whole object; metadata is free here and checked by its own rules. */
export function objectSchemaOf(kind: Kind): Schema {
  if (kind.schema !== undefined) return kind.schema;
  let schema = objectSchemas.get(kind);
  if (schema === undefined) objectSchemas.set(kind, (schema = builtSchemaOf(kind)));
  return schema;
}

function builtSchemaOf({ description, spec, status, fields = {} }: Kind): Schema {
  const optional = Object.entries({ spec, status, ...fields }).flatMap(([name, schema]) =>
    schema === undefined ? [] : [[name, Type.Optional(schema)] as const],
  );
  return Type.Object(
    {
      apiVersion: Type.String(),
      kind: Type.String(),
      metadata: Type.Unknown(),
      ...Object.fromEntries(optional),
    },
    { description },
  );
}

function unknownProblems(kind: Kind, paths: readonly Path[]): Problem[] {
  return paths.map((path) => {
    const name = String(path.at(-1));
    const parent: { properties?: object } | undefined = schemaAt(objectSchemaOf(kind), path.slice(0, -1));
    const known = Object.keys(parent?.properties ?? {});
    const close = nearest(name, known);
    const hint = close === undefined ? `known fields: ${known.join(', ')}` : `did you mean "${close}"?`;
    return { reason: 'unknown-field', path, message: `unknown field "${name}"; ${hint}` };
  });
}

const INT64_SAFE = Number.MAX_SAFE_INTEGER;

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  logger: false,
  verbose: true,
  formats: {
    int32: { type: 'number', validate: (value: number) => value >= -(2 ** 31) && value < 2 ** 31 },
    int64: { type: 'number', validate: (value: number) => Math.abs(value) <= INT64_SAFE },
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
    uri: /^([a-z][a-z0-9+.-]*:\S+|\/\S*)$/i,
  },
  code: { regExp: Object.assign(goPattern, { code: 'goPattern' }) },
});

/** A pattern in Go's syntax: a leading `(?i)` becomes a flag. */
function goPattern(pattern: string, flags: string): RegExp {
  return pattern.startsWith('(?i)') ? new RegExp(pattern.slice(4), `${flags}i`) : new RegExp(pattern, flags);
}

const validators = new WeakMap<Kind, ValidateFunction>();

/** Why the schema of a kind cannot be used, or undefined. */
export function compileProblem(kind: Kind): string | undefined {
  try {
    validatorOf(kind);
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return celFault(objectSchemaOf(kind));
}

function schemaProblems(kind: Kind, value: unknown): Problem[] {
  const validator = validatorOf(kind);
  if (validator(value)) return [];
  return (validator.errors ?? []).map(problemOf);
}

function validatorOf(kind: Kind): ValidateFunction {
  let validator = validators.get(kind);
  if (validator === undefined) {
    const schema = objectSchemaOf(kind);
    validator = ajv.compile(schema);
    // Ajv would keep the schema of a kind for ever, also when its definition is replaced.
    ajv.removeSchema(schema);
    validators.set(kind, validator);
  }
  return validator;
}

function problemOf(error: ErrorObject): Problem {
  const path = pathOf(error);
  if (error.keyword === 'required') {
    return {
      reason: 'required',
      path: [...path, String(error.params['missingProperty'])],
      message: 'is required',
    };
  }
  return {
    reason: error.keyword === 'enum' ? 'not-supported' : 'invalid',
    path,
    value: error.data,
    message: messageOf(error),
  };
}

function pathOf(error: ErrorObject): Path {
  const steps = error.instancePath.split('/').slice(1);
  return steps.map((step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(name) ? Number(name) : name;
  });
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'type':
      return typeMessage(error);
    case 'enum':
      return `must be one of ${(error.params['allowedValues'] as unknown[]).map((one) => JSON.stringify(one)).join(', ')}`;
    case 'pattern':
      return patternMessage(error);
    case 'format':
      return `must be a valid ${error.params['format']}`;
    default:
      return error.message ?? 'is not valid';
  }
}

function typeMessage(error: ErrorObject): string {
  const wanted = String(error.params['type']);
  const article = /^[aeio]/.test(wanted) ? 'an' : 'a';
  const quoted = wanted === 'string' && (typeof error.data === 'number' || typeof error.data === 'boolean');
  return `must be ${article} ${wanted}${quoted ? `; write "${String(error.data)}" in quotes` : ''}`;
}

function patternMessage(error: ErrorObject): string {
  if (error.instancePath.endsWith('/dhcp/mac')) {
    const mac = String(error.data).trim().toLowerCase().replaceAll('-', ':');
    const right = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)
      ? `write "${mac}"`
      : 'write six pairs of hexadecimal digits, for example "52:54:00:12:34:56"';
    return `must be a MAC address in lower case with colons; ${right}`;
  }
  return `must match ${String(error.params['pattern'])}`;
}
