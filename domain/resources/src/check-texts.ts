/**
 * Checks custom resources and their definitions as JSON texts, for a thread that shares no values with its caller. Patterns and
 * rules of other people's definitions cannot pause, and take up to 20 ms each.
 */
import { BoundedCache } from '@tinkerbell/wire';
import type { CustomResourceDefinition } from './core/custom-resource-definition.ts';
import { definitionSchemaProblems } from './custom-kind.ts';
import { drained } from './drained.ts';
import { withoutValue, type Problem } from './problem.ts';
import type { Resource } from './resource.ts';
import type { Schema } from './schema.ts';
import { schemaValidation } from './validate.ts';

/** JSON texts of an object, of its state before a change, and of the schema of its kind (`objectSchemaOf`). */
export interface ObjectTexts {
  readonly schema: string;
  readonly object: string;
  readonly before?: string;
}

/** The problems have no values (`withoutValue`). */
export type ObjectVerdict =
  | {
      readonly ok: true;
      /** The object with defaults filled in and unknown fields removed. Undefined if it is as it was submitted. */
      readonly changed?: string;
      readonly unknownFields: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Characters of schemas. A value takes ten times as much memory as its text. */
const CACHED_CHARACTERS_MAX = 1_000_000;
/** What is compiled from a schema belongs to its value, so the same text must give the same value. */
const schemas = new BoundedCache<Schema>(CACHED_CHARACTERS_MAX);

export function checkObjectText(texts: ObjectTexts): ObjectVerdict {
  const before: Resource | undefined = texts.before === undefined ? undefined : JSON.parse(texts.before);
  const submitted: Record<string, unknown> = JSON.parse(texts.object);
  const checked = drained(schemaValidation({ schema: schemaOf(texts.schema) }, submitted, before));
  if (!checked.ok) return { ok: false, problems: checked.problems.map(withoutValue) };
  const unknownFields = checked.unknownFields.map(withoutValue);
  const changed = JSON.stringify(checked.resource);
  return { ok: true, unknownFields, ...(changed === texts.object ? {} : { changed }) };
}

/** Returns the faults of the definition's schemas. */
export function checkDefinitionText(text: string): readonly Problem[] {
  const definition: CustomResourceDefinition = JSON.parse(text);
  return drained(definitionSchemaProblems(definition)).map(withoutValue);
}

function schemaOf(text: string): Schema {
  const known = schemas.get(text);
  if (known !== undefined) return known;
  const schema: Schema = JSON.parse(text);
  schemas.set(text, schema, text.length);
  return schema;
}
