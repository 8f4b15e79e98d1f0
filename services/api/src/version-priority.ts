/** Orders the versions of a group (apimachinery version.CompareKubeAwareVersionStrings): stable versions first, then newer ones. */

/** For `sort`. Names that are not versions come last, alphabetically. */
export function byVersionPriority(one: string, other: string): number {
  const [left, right] = [parsed(one), parsed(other)];
  if (left === undefined && right === undefined) return one < other ? -1 : 1;
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

const stabilities: readonly string[] = ['alpha', 'beta', ''];

function parsed(version: string) {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stability = '', minor = 0] = match;
  return { stability: stabilities.indexOf(stability), major: Number(major), minor: Number(minor) };
}
