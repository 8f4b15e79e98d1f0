import type { GoType } from '@tinkerbell/go-template';

/**
 * Returns JSON without the fields that Go's encoder omits for the type (`omitempty`): false, 0, an empty text
 * or list. Fields that the type does not have stay. Upstream shows templates `.hardware` after such a round
 * trip, so a default such as `disableDhcp: false` is not a key there.
 */
export function omitEmpty(type: GoType, json: unknown): unknown {
  if (type.kind === 'pointer') return omitEmpty(type.element, json);
  if (type.kind === 'slice')
    return Array.isArray(json) ? json.map((item) => omitEmpty(type.element, item)) : json;
  if (type.kind !== 'struct' || typeof json !== 'object' || json === null) return json;
  const fields = new Map(type.fields.map((field) => [field.jsonName ?? field.name, field]));
  const entries = Object.entries(json).flatMap(([name, value]): [string, unknown][] => {
    const field = fields.get(name);
    if (field === undefined) return [[name, value]];
    if (field.omitEmpty === true && field.type.kind !== 'pointer' && isEmpty(value)) return [];
    return [[name, omitEmpty(field.type, value)]];
  });
  return Object.fromEntries(entries);
}

function isEmpty(value: unknown): boolean {
  return value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}
