/** Label and field selectors (apimachinery labels.Parse, fields.ParseSelector). */
import { collectionOf, isRecord, type Kind, type Resource } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';

export type Selector = (resource: Resource) => boolean;

/** Throws an ApiError for an invalid selector. */
export function selectorOf(query: URLSearchParams, kind: Kind): Selector {
  const tests = [
    ...labelTests(query.get('labelSelector') ?? ''),
    ...fieldTests(query.get('fieldSelector') ?? '', kind),
  ];
  return (resource) => tests.every((test) => test(resource));
}

/** Limit of terms per selector. Each is evaluated for each object of a list. Controllers in use have three. */
const TERMS_MAX = 100;

function limited<Term>(terms: readonly Term[], name: string): readonly Term[] {
  if (terms.length <= TERMS_MAX) return terms;
  throw new ApiError('BadRequest', `${name}: has ${terms.length} terms (limit: ${TERMS_MAX})`);
}

function labelTests(text: string): readonly Selector[] {
  return limited(splitOutsideParentheses(text), 'labelSelector').map((term) => {
    const set = /^([^\s=!]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
    if (set !== null) {
      const values = new Set((set[3] ?? '').split(',').map((value) => value.trim()));
      const isIn = set[2] === 'in';
      return (resource) => values.has(resource.metadata.labels?.[set[1] ?? ''] ?? '\0') === isIn;
    }
    const equality = /^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$/.exec(term);
    if (equality !== null) {
      const isEqual = equality[2] !== '!=';
      return (resource) => (resource.metadata.labels?.[equality[1] ?? ''] === equality[3]) === isEqual;
    }
    const existence = /^(!?)([^\s=!(),]+)$/.exec(term);
    if (existence === null)
      throw new ApiError(
        'BadRequest',
        `unable to parse labelSelector: ${JSON.stringify(term.slice(0, 200))}`,
      );
    const mustExist = existence[1] === '';
    return (resource) => Object.hasOwn(resource.metadata.labels ?? {}, existence[2] ?? '') === mustExist;
  });
}

/** Splits in one pass. A pattern that looks ahead from each comma takes quadratic time. */
function splitOutsideParentheses(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  let isInside = false;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === '(') isInside = true;
    else if (character === ')') isInside = false;
    else if (character === undefined || (character === ',' && !isInside)) {
      terms.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return terms.filter((term) => term !== '');
}

/** Selectable fields beside name and namespace, by collection. Other fields are rejected instead of ignored. */
const selectable: Readonly<Record<string, readonly string[]>> = {
  secrets: ['type'],
  namespaces: ['status.phase'],
  events: [
    'involvedObject.apiVersion',
    'involvedObject.fieldPath',
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.resourceVersion',
    'involvedObject.uid',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'workflows.tinkerbell.org': ['spec.hardwareRef', 'spec.templateRef', 'status.agentID', 'status.state'],
  'hardware.tinkerbell.org': ['spec.agentID', 'status.state'],
};

function fieldTests(text: string, kind: Kind): readonly Selector[] {
  const supported = [
    'metadata.name',
    ...(kind.scope === 'Cluster' ? [] : ['metadata.namespace']),
    ...(selectable[collectionOf(kind)] ?? []),
  ];
  return termsOf(text).map(({ field, isEqual, value }) => {
    if (!supported.includes(field)) {
      const message = `field label not supported: ${(field || text).slice(0, 200)}; supported: ${supported.join(', ')}`;
      throw new ApiError('BadRequest', message);
    }
    const steps = field === 'source' ? ['source', 'component'] : field.split('.');
    return (resource: Resource) => (valueAt(resource, steps) === value) === isEqual;
  });
}

interface FieldTerm {
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
}

function termsOf(text: string): readonly FieldTerm[] {
  const terms = text.split(/(?<!\\),/).filter((term) => term.trim() !== '');
  return limited(terms, 'fieldSelector').map((term) => {
    const parts = /^([^=!]+)(==|=|!=)(.*)$/.exec(term.trim());
    const value = (parts?.[3] ?? '').replaceAll(/\\([\\,=])/g, '$1');
    return { field: parts?.[1]?.trim() ?? '', isEqual: parts?.[2] !== '!=', value };
  });
}

/** Returns the only name that a field selector allows, to read a single object. */
export function selectedName(query: URLSearchParams): string | undefined {
  const term = termsOf(query.get('fieldSelector') ?? '').find(
    ({ field, isEqual }) => field === 'metadata.name' && isEqual,
  );
  return term?.value;
}

/** Returns the field as text; empty if undefined, like Kubernetes compares fields. */
function valueAt(resource: Resource, steps: readonly string[]): string {
  let value: unknown = resource;
  for (const step of steps) value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
