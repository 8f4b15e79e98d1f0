/** Label and field selectors (apimachinery labels.Parse; fields metadata.name and metadata.namespace). */
import type { Resource } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';

export type Selector = (resource: Resource) => boolean;

/** Throws an ApiError for a selector that cannot be read. */
export function selectorOf(query: URLSearchParams): Selector {
  const tests = [
    ...labelTests(query.get('labelSelector') ?? ''),
    ...fieldTests(query.get('fieldSelector') ?? ''),
  ];
  return (resource) => tests.every((test) => test(resource));
}

export function hasSelector(query: URLSearchParams): boolean {
  return Boolean(query.get('labelSelector')) || Boolean(query.get('fieldSelector'));
}

function labelTests(text: string): Selector[] {
  return splitOutsideParentheses(text).map((term) => {
    const set = /^([^\s=!]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
    if (set !== null) {
      const values = (set[3] ?? '').split(',').map((value) => value.trim());
      const isIn = set[2] === 'in';
      return (resource) => values.includes(resource.metadata.labels?.[set[1] ?? ''] ?? '\0') === isIn;
    }
    const equality = /^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$/.exec(term);
    if (equality !== null) {
      const isEqual = equality[2] !== '!=';
      return (resource) => (resource.metadata.labels?.[equality[1] ?? ''] === equality[3]) === isEqual;
    }
    const existence = /^(!?)([^\s=!(),]+)$/.exec(term);
    if (existence === null)
      throw new ApiError('BadRequest', `unable to parse labelSelector: ${JSON.stringify(term)}`);
    const mustExist = existence[1] === '';
    return (resource) => Object.hasOwn(resource.metadata.labels ?? {}, existence[2] ?? '') === mustExist;
  });
}

function splitOutsideParentheses(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

const fields: Readonly<Record<string, (resource: Resource) => string>> = {
  'metadata.name': (resource) => resource.metadata.name,
  'metadata.namespace': (resource) => resource.metadata.namespace,
};

function fieldTests(text: string): Selector[] {
  return text
    .split(',')
    .filter((term) => term.trim() !== '')
    .map((term) => {
      const parts = /^([^=!]+)(==|=|!=)(.*)$/.exec(term.trim());
      const field = fields[parts?.[1] ?? ''];
      if (parts === null || field === undefined) {
        throw new ApiError(
          'BadRequest',
          `field label not supported: ${term.trim()}; supported: ${Object.keys(fields).join(', ')}`,
        );
      }
      const isEqual = parts[2] !== '!=';
      return (resource: Resource) => (field(resource) === parts[3]) === isEqual;
    });
}
