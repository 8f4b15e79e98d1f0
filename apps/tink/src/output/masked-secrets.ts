/** Masks secrets in objects for differences, descriptions and CI logs. */
import { isRecord, type Resource } from '@tinkerbell/resources';

const MASK = '***';
/** Fields of any kind that hold a secret itself, not the name of one. */
const secretField = /(password|passwd|token|private_?key)$/i;

/** Returns a copy in which secrets are `***` with their length, so that an empty one is visible. */
export function masked(object: object): Readonly<Record<string, unknown>> {
  return maskedFields({ ...object }, false, 'kind' in object && object.kind === 'Secret');
}

function maskedAt(value: unknown, isHidden: boolean, isSecret: boolean): unknown {
  if (typeof value === 'string') return isHidden ? maskOf(value) : value;
  if (Array.isArray(value)) return value.map((one) => maskedAt(one, isHidden, isSecret));
  return isRecord(value) ? maskedFields(value, isHidden, isSecret) : value;
}

function maskedFields(
  fields: Readonly<Record<string, unknown>>,
  isHidden: boolean,
  isSecret: boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, content]) => {
      const isOfSecret = isSecret && ['data', 'stringData'].includes(field);
      return [field, maskedAt(content, isHidden || isOfSecret || secretField.test(field), false)];
    }),
  );
}

function maskOf(text: string): string {
  return `${MASK} (${text.length} characters)`;
}

/** Masks both sides of a change. Different secrets stay visibly different, even with equal lengths. */
export function maskedPair(
  before: Resource | undefined,
  after: Resource,
): { readonly before: unknown; readonly after: unknown } {
  const old = before && masked(before);
  return { before: old, after: marked(masked(after), { plain: after, before }) };
}

/** Marks a masked text that changed. */
function marked(hidden: unknown, { plain, before }: { plain: unknown; before: unknown }): unknown {
  if (typeof hidden === 'string') {
    const isChanged = hidden !== plain && before !== undefined && before !== plain;
    return isChanged ? `${hidden} changed` : hidden;
  }
  if (Array.isArray(hidden))
    return hidden.map((one, index) =>
      marked(one, {
        plain: Array.isArray(plain) ? plain[index] : undefined,
        before: Array.isArray(before) ? before[index] : undefined,
      }),
    );
  if (!isRecord(hidden) || !isRecord(plain)) return hidden;
  return Object.fromEntries(
    Object.entries(hidden).map(([field, one]) => [
      field,
      marked(one, { plain: plain[field], before: isRecord(before) ? before[field] : undefined }),
    ]),
  );
}
