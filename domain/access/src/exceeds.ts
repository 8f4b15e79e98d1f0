/** Nobody gives away what he does not have: who writes roles or bindings would else make himself anything. */
import { permits, type Asked, type AskedResource } from './permits.ts';
import type { Rule } from './role.ts';

/** The first thing that `given` allows and none of `own` does, in words; undefined when there is none. */
export function exceeds(given: readonly Rule[], own: readonly Rule[]): string | undefined {
  for (const rule of given)
    for (const asked of questionsOf(rule)) if (!own.some((one) => permits(one, asked))) return textOf(asked);
  return undefined;
}

/** A wildcard is asked as itself, which only a wildcard permits. */
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
