/** You cannot grant permissions you lack. Otherwise a user who may write roles or bindings could gain any permission. */
import { permits, type Asked, type AskedResource } from './permits.ts';
import type { Rule } from './role.ts';

/** Returns a description of the first permission that `given` grants and `own` lacks, or undefined when there is none. */
export function exceeds(given: readonly Rule[], own: readonly Rule[]): string | undefined {
  for (const rule of given)
    for (const asked of questionsOf(rule)) if (!own.some((one) => permits(one, asked))) return textOf(asked);
  return undefined;
}

/** A wildcard is checked as itself. Only a wildcard permits it. */
function* questionsOf(rule: Rule): Generator<Asked> {
  for (const verb of rule.verbs) {
    for (const path of rule.nonResourceURLs ?? []) yield { verb, path };
    for (const group of rule.apiGroups ?? [])
      for (const resource of rule.resources ?? []) yield* ofNames(rule, askedOf(verb, group, resource));
  }
}

function askedOf(verb: string, group: string, full: string): AskedResource {
  const [resource = '', subresource] = full.split('/');
  return { verb, group, resource, ...(subresource === undefined ? {} : { subresource }) };
}

function ofNames({ resourceNames: names = [] }: Rule, asked: AskedResource): Asked[] {
  return names.length === 0 ? [asked] : names.map((name) => ({ ...asked, name }));
}

function textOf(asked: Asked): string {
  if ('path' in asked) return `${asked.verb} ${asked.path}`;
  const { verb, group, resource, subresource, name } = asked;
  const full = [resource, ...(subresource === undefined ? [] : [subresource])].join('/');
  return `${verb} ${full}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` ${name}`}`;
}
