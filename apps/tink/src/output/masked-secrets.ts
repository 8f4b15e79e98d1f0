/** Objects without what nobody should read over a shoulder: in differences, descriptions and logs of CI. */
import { isRecord, type Resource } from '@tinkerbell/resources';

const MASK = '***';
/** Fields of any kind that hold a secret itself, not the name of one. */
const secretField = /(password|passwd|token|private_?key)$/i;

/** A copy in which secret texts are `***`, with their length so that an empty one is seen. */
export function masked<Value>(object: Value): Value {
  const isSecret = isRecord(object) && object['kind'] === 'Secret';
  return maskedAt(object, false, isSecret) as Value;
}

function maskedAt(value: unknown, isHidden: boolean, isSecret: boolean): unknown {
  if (typeof value === 'string') return isHidden ? maskOf(value) : value;
  if (Array.isArray(value)) return value.map((one) => maskedAt(one, isHidden, isSecret));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, content]) => {
      const isOfSecret = isSecret && ['data', 'stringData'].includes(field);
      return [field, maskedAt(content, isHidden || isOfSecret || secretField.test(field), false)];
    }),
  );
}

function maskOf(text: string): string {
  return `${MASK} (${text.length} characters)`;
}

/** Both sides of a change. Secrets that differ are seen to differ, whatever their lengths. */
export function maskedPair(
  before: Resource | undefined,
  after: Resource,
): { readonly before: unknown; readonly after: unknown } {
  const old = masked(before);
  return { before: old, after: marked(masked(after), { plain: after, before }) };
}

/** Where a masked text was changed, says so. */
function marked(hidden: unknown, { plain, before }: { plain: unknown; before: unknown }): unknown {
  if (typeof hidden === 'string') {
    const isChanged = hidden !== plain && before !== undefined && before !== plain;
    return isChanged ? `${hidden} changed` : hidden;
  }
  if (Array.isArray(hidden))
    return hidden.map((one, index) =>
      marked(one, {
        plain: (plain as readonly unknown[])[index],
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
