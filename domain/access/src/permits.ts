/** Checks one rule against one request. */
import type { Rule } from './role.ts';

/** A request for an object or a collection. */
export interface AskedResource {
  readonly verb: string;
  /** `""` is the core group. */
  readonly group: string;
  /** Plural: `hardware`. */
  readonly resource: string;
  readonly subresource?: string;
  /** Absent for cluster-scoped objects, and for all namespaces at once. */
  readonly namespace?: string;
  /** Absent for a collection and for an object that is being created. */
  readonly name?: string;
}

/** A request for a path that names no object. */
export interface AskedPath {
  readonly verb: string;
  readonly path: string;
  readonly namespace?: never;
}

export type Asked = AskedResource | AskedPath;

export function permits(rule: Rule, asked: Asked): boolean {
  if (!holds(rule.verbs, asked.verb)) return false;
  if ('path' in asked) return (rule.nonResourceURLs ?? []).some((pattern) => covers(pattern, asked.path));
  const { group, name } = asked;
  const names = rule.resourceNames ?? [];
  return (
    holds(rule.apiGroups ?? [], group) &&
    (rule.resources ?? []).some((resource) => isResource(resource, asked)) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

/** A rule for `workflows` grants nothing on `workflows/status`. */
function isResource(pattern: string, { resource, subresource }: AskedResource): boolean {
  if (pattern === '*') return true;
  const [wanted, wantedSub] = pattern.split('/');
  if (wanted !== '*' && wanted !== resource) return false;
  return wantedSub === subresource || (wantedSub === '*' && subresource !== undefined);
}

function covers(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
