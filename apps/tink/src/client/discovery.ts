/** Finds the kinds that the server offers beside our own: Kubernetes core kinds and custom resources. */
import { isRecord, kindNamed, kinds as knownKinds } from '@tinkerbell/resources';
import type { ApiKind } from './api-kind.ts';
import type { ApiClient } from './client.ts';

/** Kinds that have a schema here. Other kinds are known by discovery only. */
const ownGroup = /(^|\.)tinkerbell\.org$/;
export const ownKinds = knownKinds.filter(({ group }) => ownGroup.test(group));

export interface OfferedKind extends ApiKind {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** Returns all kinds of the server, in its order. Our kinds are the objects of `kinds`. */
export async function discoverKinds(client: Pick<ApiClient, 'document'>): Promise<readonly OfferedKind[]> {
  const [core, groups] = await Promise.all([client.document('/api/v1'), client.document('/apis')]);
  const paths = preferredVersions(groups).map((version) => `/apis/${version}`);
  const others = await Promise.all(paths.map((path) => client.document(path)));
  return [...others, core].flatMap(kindsIn);
}

function preferredVersions(list: unknown): readonly string[] {
  return listIn(list, 'groups').flatMap((group) => {
    const preferred = group['preferredVersion'];
    return isRecord(preferred) && typeof preferred['groupVersion'] === 'string'
      ? [preferred['groupVersion']]
      : [];
  });
}

/** Pure: returns the kinds of one APIResourceList. */
export function kindsIn(document: unknown): readonly OfferedKind[] {
  if (!isRecord(document)) return [];
  const [version = '', group = ''] = String(document['groupVersion']).split('/').reverse();
  const resources = listIn(document, 'resources');
  return resources
    .filter(({ name }) => !String(name).includes('/'))
    .map((resource) => {
      const plural = String(resource['name']);
      const prefix = `${plural}/`;
      const names = resources.map(({ name }) => String(name));
      return {
        group,
        version,
        kind: String(resource['kind']),
        plural,
        singular: String(resource['singularName']) || String(resource['kind']).toLowerCase(),
        shortNames: stringsIn(resource['shortNames']),
        namespaced: resource['namespaced'] !== false,
        verbs: stringsIn(resource['verbs']),
        subresources: names
          .filter((name) => name.startsWith(prefix))
          .map((name) => name.slice(prefix.length)),
      };
    });
}

function listIn(document: unknown, field: string): readonly Record<string, unknown>[] {
  const list = isRecord(document) ? document[field] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Finds a kind by plural, singular, kind or short name, with or without its group. */
export function offeredKindNamed<Of extends ApiKind>(word: string, offered: readonly Of[]): Of | undefined {
  const [name = '', ...group] = word.toLowerCase().split('.');
  const wanted = group.join('.');
  const inGroup = offered.filter((one) => wanted === '' || one.group === wanted);
  return (
    inGroup.find((one) => [one.plural, one.singular, one.kind.toLowerCase()].includes(name)) ??
    inGroup.find((one) => one.shortNames.includes(name))
  );
}

/** Finds one of our kinds without a request to the server. */
export function ownKindNamed(word: string) {
  const kind = kindNamed(word);
  return kind !== undefined && ownKinds.includes(kind) ? kind : undefined;
}
