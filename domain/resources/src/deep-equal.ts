/** Returns true if two JSON values are equal, in any order of fields. */
export function isDeepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [ours, theirs] = [Object.keys(left), Object.keys(right)];
  if (ours.length !== theirs.length) return false;
  return ours.every((key) => Object.hasOwn(right, key) && isDeepEqual(left[key], right[key]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
