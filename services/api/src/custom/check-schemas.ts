/** Applies the schemas of other people's definitions in a separate thread, because their patterns and rules cannot pause. */
import { inTurns, readJsonText, type TextReader } from '@tinkerbell/platform-contract';
import {
  definitionSchemaProblems,
  validation,
  type CheckedObject,
  type CustomResourceDefinition,
  type Kind,
  type Problem,
  type Resource,
} from '@tinkerbell/resources';
import { writeJson } from '@tinkerbell/yaml/json-writer';
import { unread } from '../api-error.ts';

const UNCHECKED = 'the object cannot be checked';
/** Of what the server itself has written. The request was read within its budget, and the thread's time is limited. */
const NO_LIMITS = { nodes: Infinity, depth: Infinity, keys: Infinity };

/** Validates an object of any kind. Rejects with an ApiError when the thread has no time for it. */
export function validated(
  object: Record<string, unknown>,
  { kind, before }: { readonly kind: Kind; readonly before?: Resource | undefined },
  texts: TextReader | undefined,
): Promise<CheckedObject> {
  const { schema } = kind;
  return schema === undefined || texts === undefined
    ? inTurns(validation(kind, object, before))
    : validatedInThread(object, { schema, before }, texts);
}

async function validatedInThread(
  object: Record<string, unknown>,
  { schema, before }: { readonly schema: Schema; readonly before: Resource | undefined },
  texts: TextReader,
): Promise<CheckedObject> {
  const written = {
    schema: await textOfSchema(schema),
    object: await textOf(object),
    ...(before === undefined ? {} : { before: await textOf(before) }),
  };
  const read = await texts.object(written);
  if ('reason' in read) throw unread(read, UNCHECKED);
  if (!read.ok) return read;
  const { changed, unknownFields } = read;
  const value = changed === undefined ? object : await valueOf(changed);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The thread has checked it.
  return { ok: true, resource: value as Resource, unknownFields };
}

/** Returns the faults of a definition's schemas. Rejects with an ApiError when the thread has no time for it. */
export async function definitionProblems(
  definition: CustomResourceDefinition,
  texts: TextReader | undefined,
): Promise<readonly Problem[]> {
  if (texts === undefined) return inTurns(definitionSchemaProblems(definition));
  const read = await texts.definition(await textOf(definition));
  if (!read.ok) throw unread(read, UNCHECKED);
  return read.problems;
}

type Schema = NonNullable<Kind['schema']>;

const schemaTexts = new WeakMap<Schema, Promise<string>>();

function textOfSchema(schema: Schema): Promise<string> {
  let text = schemaTexts.get(schema);
  if (text === undefined) schemaTexts.set(schema, (text = textOf(schema)));
  return text;
}

function textOf(value: unknown): Promise<string> {
  return inTurns(writeJson(value));
}

async function valueOf(text: string): Promise<unknown> {
  const read = await readJsonText(text, NO_LIMITS);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}
