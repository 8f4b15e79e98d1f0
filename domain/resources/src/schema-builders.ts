/** The few schema shapes that Kubernetes CRDs use beyond plain JSON types. */
import { Type, type Static, type Schema } from './schema.ts';
import { DOCUMENT_MAX, MAP_MAX, QUANTITY_MAX, TIME_MAX } from './schema-limits.ts';

type Extra = Readonly<Record<string, unknown>>;

/**
 * Returns the schema with the text that `explain` and the CRDs show for it. The text comes first, so that
 * readers of YAML see it before a long list of properties.
 */
export function described<Of extends Schema>(description: string, schema: Of) {
  return { description, ...schema };
}

/** Returns a described property that may be absent. */
export function optional<Of extends Schema>(description: string, schema: Of) {
  return Type.Optional<Of>(described(description, schema));
}

/** A whole number of 64 bits. Values beyond 2^53 lose precision in JSON and are refused. */
export function int64(extra: Extra = {}) {
  return Type.Integer({ format: 'int64', ...extra });
}

/** A whole number of 32 bits. */
export function int32(extra: Extra = {}) {
  return Type.Integer({ format: 'int32', ...extra });
}

/** A whole number without a stated width. */
export function integer(extra: Extra = {}) {
  return Type.Integer(extra);
}

/** RFC 3339 time. */
export function dateTime() {
  return Type.String({ format: 'date-time', maxLength: TIME_MAX });
}

/** RFC 3339 time to the microsecond, or null (Kubernetes MicroTime). */
export function microTime() {
  return Type.String({ format: 'date-time', maxLength: TIME_MAX, nullable: true });
}

export function uri() {
  return Type.String({ format: 'uri' });
}

/** A text that is a document: a template, user data, a script. */
export function document(keywords: Extra = {}) {
  return Type.String({ maxLength: DOCUMENT_MAX, ...keywords });
}

/** One of a fixed list of strings. */
export function oneOf<const Values extends readonly string[]>(values: Values, extra: Extra = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...extra });
}

/** An object with free keys whose values share a schema. */
export function mapOf<Values extends Schema>(values: Values) {
  return Type.Unsafe<{ [key: string]: Static<Values> }>({
    type: 'object',
    additionalProperties: values,
    maxProperties: MAP_MAX,
  });
}

/** A Kubernetes quantity: a number or text such as `10Gi`. */
export function quantity() {
  return Type.Unsafe<number | string>({
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    maxLength: QUANTITY_MAX,
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
    'x-kubernetes-int-or-string': true,
  });
}
