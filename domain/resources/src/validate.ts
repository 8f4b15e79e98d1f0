/** Validates objects: first by the schema, then by rules that a schema cannot express. */
import { isRecord } from '@tinkerbell/yaml/json';
import { drained } from './drained.ts';
import { builtInKinds, kindFor } from './built-in-kinds.ts';
import { celFault } from './cel/cel-fault.ts';
import { celProblems } from './cel/cel-rules.ts';
import { apiVersionOf, type Kind } from './kind.ts';
import { metadataProblems, metadataSchema } from './metadata-rules.ts';
import { nearest } from './nearest.ts';
import { shortened, type Problem } from './problem.ts';
import { ProblemList } from './problem-list.ts';
import type { Resource } from './resource.ts';
import { Type, type Schema } from './schema.ts';
import { rememberFields } from './schema/passed-values.ts';
import { schemaProblems } from './schema/schema-check.ts';
import { schemaFault } from './schema/schema-fault.ts';
import { schemaAt, structured } from './structure.ts';
import type { Path } from './schema/place.ts';

/** The number of unknown fields for which a similar known one is searched. */
const HINTS_MAX = 20;
/** The number of known fields that the message about an unknown field lists. */
const FIELDS_NAMED_MAX = 50;

export type Validated =
  | {
      readonly ok: true;
      readonly kind: Kind;
      /** The object with defaults filled in and unknown fields removed. */
      readonly resource: Resource;
      /** The removed fields, the first hundred of them. Strict callers refuse them. */
      readonly unknownFields: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Checks one object of any of our kinds. `value` is JSON of unknown shape. */
export function validateResource(value: unknown): Validated {
  const found = kindOfObject(value);
  if ('problem' in found) return { ok: false, problems: [found.problem] };
  return validateAs(found.kind, found.object);
}

/** Checks an object of a known kind. `before` is its previous state when it is changed. */
export function validateAs(kind: Kind, submitted: Record<string, unknown>, before?: Resource): Validated {
  return drained(validation(kind, submitted, before));
}

/** Like `validateAs`, with pauses. It yields about every millisecond, so that other work gets its turn. */
export function* validation(
  kind: Kind,
  submitted: Record<string, unknown>,
  before?: Resource,
): Generator<undefined, Validated> {
  const checked = yield* schemaValidation(rulebookOf(kind), submitted, before);
  return checked.ok ? { ...checked, kind } : checked;
}

/** What decides about an object: the schema of the whole object, and what a built-in kind adds to it. */
export type Rulebook = { readonly schema: Schema } & Pick<Kind, 'prepare' | 'rules'>;

const rulebooks = new WeakMap<Kind, Rulebook>();

function rulebookOf(kind: Kind): Rulebook {
  let rulebook = rulebooks.get(kind);
  if (rulebook === undefined) rulebooks.set(kind, (rulebook = { ...kind, schema: objectSchemaOf(kind) }));
  return rulebook;
}

/** `Validated`, except the kind. */
export type CheckedObject =
  | Omit<Extract<Validated, { readonly ok: true }>, 'kind'>
  | Extract<Validated, { readonly ok: false }>;

/** Like `validation`, by a schema alone. */
export function* schemaValidation(
  { schema, prepare, rules }: Rulebook,
  submitted: Record<string, unknown>,
  before?: Resource,
): Generator<undefined, CheckedObject> {
  const prepared = prepare?.(submitted) ?? submitted;
  const { value, unknownFields, unknownCount } = yield* structured(schema, prepared);
  const problems = new ProblemList();
  const { metadata } = prepared;
  // The stored metadata was checked, or is the server's.
  if (before === undefined || metadata !== before.metadata) {
    problems.addAll(metadataProblems(metadata));
    if (isRecord(metadata)) problems.addAll((yield* schemaProblems(wholeMetadata, { metadata })).all());
  }
  problems.addAll((yield* schemaProblems(schema, value)).all());
  if (problems.count === 0) {
    if (isRecord(value))
      rememberFields(schema, { checked: value, submitted: prepared, before: { ...before } });
    problems.addAll(rules?.({ ...(value as Resource) }, before && { ...before }) ?? []);
    problems.addAll(yield* celProblems(schema, value, before));
  }
  const unknown = unknownProblems(schema, unknownFields, unknownCount);
  if (problems.count > 0) return { ok: false, problems: [...problems.all(), ...unknown] };
  return { ok: true, resource: value as Resource, unknownFields: unknown };
}

/** Returns the problems of a value that is not an object of a kind, those of unknown fields first. Yields often. */
export function* valueProblems(schema: Schema, value: unknown): Generator<undefined, readonly Problem[]> {
  const { unknownFields, unknownCount } = yield* structured(schema, value);
  const problems = yield* schemaProblems(schema, value);
  return [...unknownProblems(schema, unknownFields, unknownCount), ...problems.all()];
}

/**
 * Returns a stored object in the form of the kind's schema: other fields removed, defaults filled in. Yields
 * often.
 */
export function* prunedTo(kind: Kind, object: Resource): Generator<undefined, Resource> {
  const { value } = yield* structured(objectSchemaOf(kind), object);
  return value as Resource;
}

const wholeMetadata: Schema = { properties: { metadata: metadataSchema } };

/** Returns the built-in kind that an object names. */
export function kindOfObject(
  value: unknown,
): { readonly kind: Kind; readonly object: Record<string, unknown> } | { readonly problem: Problem } {
  if (!isRecord(value)) {
    const message = 'must be an object with apiVersion, kind and metadata';
    return { problem: { reason: 'invalid', path: [], value, message } };
  }
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
  if (kind !== undefined) return { kind, object: value };
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

/** Returns the schema of the whole object. It does not restrict metadata, which has its own rules. */
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

/** Returns problems for the named fields, and one more with the number of the others. */
function unknownProblems(schema: Schema, paths: readonly Path[], count: number): Problem[] {
  const problems = paths.map((path, index): Problem => {
    const name = String(path.at(-1));
    if (index >= HINTS_MAX)
      return { reason: 'unknown-field', path, message: `unknown field ${JSON.stringify(shortened(name))}` };
    const parent: { properties?: object } | undefined = schemaAt(schema, path.slice(0, -1));
    const known = Object.keys(parent?.properties ?? {});
    const close = nearest(name, known);
    const hint =
      close === undefined
        ? `known fields: ${known.slice(0, FIELDS_NAMED_MAX).join(', ')}`
        : `did you mean "${close}"?`;
    return {
      reason: 'unknown-field',
      path,
      message: `unknown field ${JSON.stringify(shortened(name))}; ${hint}`,
    };
  });
  if (count === paths.length) return problems;
  const message = `and ${count - paths.length} more unknown fields`;
  return [...problems, { reason: 'unknown-field', path: [], message }];
}

/** Returns why the schema of a kind cannot be used, or undefined. Yields often. */
export function* kindFault(kind: Kind): Generator<undefined, string | undefined> {
  const schema = objectSchemaOf(kind);
  return (yield* schemaFault(schema)) ?? (yield* celFault(schema));
}

/** Compiles the patterns of the built-in kinds, which otherwise delay the first object of each. Yields after each. */
export function* compileBuiltIns(): Generator<undefined, void> {
  for (const kind of builtInKinds) yield* kindFault(kind);
}
