/** Label and field selectors (apimachinery labels.Parse, fields.ParseSelector). */
import { collectionOf, isRecord, type Kind, type Resource } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';

export type Selector = (resource: Resource) => boolean;

/** Throws an ApiError for a selector that cannot be read. */
export function selectorOf(query: URLSearchParams, kind: Kind): Selector {
  const tests = [
    ...labelTests(query.get('labelSelector') ?? ''),
    ...fieldTests(query.get('fieldSelector') ?? '', kind),
  ];
  return (resource) => tests.every((test) => test(resource));
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

/** What may be selected by beside name and namespace, by collection; anything else is refused, so that nobody trusts a filter that is none. */
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

function fieldTests(text: string, kind: Kind): Selector[] {
  const supported = [
    'metadata.name',
    ...(kind.scope === 'Cluster' ? [] : ['metadata.namespace']),
    ...(selectable[collectionOf(kind)] ?? []),
  ];
  return termsOf(text).map(({ field, isEqual, value }) => {
    if (!supported.includes(field)) {
      const message = `field label not supported: ${field || text}; supported: ${supported.join(', ')}`;
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
  return text
    .split(/(?<!\\),/)
    .filter((term) => term.trim() !== '')
    .map((term) => {
      const parts = /^([^=!]+)(==|=|!=)(.*)$/.exec(term.trim());
      const value = (parts?.[3] ?? '').replaceAll(/\\([\\,=])/g, '$1');
      return { field: parts?.[1]?.trim() ?? '', isEqual: parts?.[2] !== '!=', value };
    });
}

/** The one name that a field selector leaves, so that nothing else need be read. */
export function selectedName(query: URLSearchParams): string | undefined {
  const term = termsOf(query.get('fieldSelector') ?? '').find(
    ({ field, isEqual }) => field === 'metadata.name' && isEqual,
  );
  return term?.value;
}

/** As text, empty when absent: as Kubernetes compares fields. */
function valueAt(resource: Resource, steps: readonly string[]): string {
  let value: unknown = resource;
  for (const step of steps) value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value);
}
