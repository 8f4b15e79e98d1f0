/** The discovery documents, which `kubectl` requests first. */
import { apiVersionOf, serviceAccountKind, type Kind } from '@tinkerbell/resources';
import { operatorVerbs } from '@tinkerbell/workflow';
import { byVersionPriority } from './version-priority.ts';

/** Reviews, which are answered and never stored (authorization.k8s.io/v1, authentication.k8s.io/v1). */
const reviewKinds: Readonly<Record<string, readonly string[]>> = {
  'authorization.k8s.io': ['SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
  'authentication.k8s.io': ['SelfSubjectReview', 'TokenReview'],
};
const REVIEW_VERSION = 'v1';

/** True if the path describes the API and is the same for everyone. Paths of objects are longer. */
export function describesTheApi(path: string): boolean {
  return /^\/(?:api(?:\/v1)?|apis(?:\/[^/]+){0,2}|version|openapi\/.+)\/?$/.test(path);
}

/** Returns the document at a discovery path, or undefined. `accept` may request the aggregated form. */
export function discoveryDocument(
  path: string,
  kinds: readonly Kind[],
  accept: string | null,
): { readonly document: object; readonly contentType?: string } | undefined {
  if (path === '/version') return { document: version };
  const form = aggregatedForm(accept);
  if (path === '/api' || path === '/apis') {
    if (form !== undefined) return aggregated(path, kinds, form);
    if (path === '/api')
      return { document: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] } };
    const groups = groupsOf(kinds).map((group) => groupOf(group, kinds));
    return { document: { kind: 'APIGroupList', apiVersion: 'v1', groups } };
  }
  const document = groupDocument(path, kinds);
  return document === undefined ? undefined : { document };
}

function groupsOf(kinds: readonly Kind[]): readonly string[] {
  return [...new Set([...kinds.map((kind) => kind.group), ...Object.keys(reviewKinds)])].filter(
    (one) => one !== '',
  );
}

function versionsOf(group: string, kinds: readonly Kind[]): readonly string[] {
  const versions = kinds.filter((kind) => kind.group === group).map((kind) => kind.version);
  const all = new Set(group in reviewKinds ? [...versions, REVIEW_VERSION] : versions);
  return [...all].toSorted(byVersionPriority);
}

/** apidiscovery.k8s.io of clients since 1.26: one document for all groups. */
function aggregatedForm(accept: string | null): 'v2' | 'v2beta1' | undefined {
  for (const wanted of (accept ?? '').split(',')) {
    const parameters = wanted.split(';').map((one) => one.trim());
    if (parameters[0] !== 'application/json') {
      if (parameters[0] === '*/*') return undefined;
      continue;
    }
    if (!parameters.includes('g=apidiscovery.k8s.io')) return undefined;
    if (parameters.includes('v=v2')) return 'v2';
    if (parameters.includes('v=v2beta1')) return 'v2beta1';
  }
  return undefined;
}

function aggregated(path: string, kinds: readonly Kind[], form: 'v2' | 'v2beta1') {
  const groups = path === '/api' ? [''] : groupsOf(kinds);
  const items = groups.map((group) => ({
    metadata: group === '' ? {} : { name: group },
    versions: versionsOf(group, kinds).map((version) => ({
      version,
      resources: aggregatedResources(resourcesIn(group, version, kinds), { group, version }),
      freshness: 'Current',
    })),
  }));
  return {
    document: {
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${form}`,
      metadata: {},
      items,
    },
    contentType: `application/json;g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`,
  };
}

function aggregatedResources(
  resources: readonly DiscoveredResource[],
  { group, version }: { readonly group: string; readonly version: string },
): object[] {
  const shown = (one: DiscoveredResource) => ({
    responseKind: { group, version, kind: one.kind },
    scope: one.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: one.singularName,
    verbs: one.verbs,
    ...(one.shortNames === undefined ? {} : { shortNames: one.shortNames }),
    ...(one.categories === undefined ? {} : { categories: one.categories }),
  });
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((one) => {
      const inner = resources
        .filter(({ name }) => name.startsWith(`${one.name}/`))
        .map((sub) => ({
          subresource: sub.name.slice(one.name.length + 1),
          responseKind: { group, version, kind: sub.kind },
          verbs: sub.verbs,
        }));
      return { resource: one.name, ...shown(one), ...(inner.length === 0 ? {} : { subresources: inner }) };
    });
}

/** The Kubernetes API level that we follow. Clients compare it with their own. */
const version = {
  major: '1',
  minor: '29',
  gitVersion: 'v1.29.0+tinkerbell',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};

function groupDocument(path: string, kinds: readonly Kind[]): object | undefined {
  if (path === '/api/v1') return resourceList({ group: '', version: 'v1' }, kinds);
  const [, root, group, version, ...more] = path.split('/');
  if (root !== 'apis' || group === undefined || more.length > 0) return undefined;
  if (!groupsOf(kinds).includes(group)) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, kinds) };
  return versionsOf(group, kinds).includes(version) ? resourceList({ group, version }, kinds) : undefined;
}

function resourceList(at: Pick<Kind, 'group' | 'version'>, kinds: readonly Kind[]): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(at),
    resources: resourcesIn(at.group, at.version, kinds),
  };
}

function groupOf(group: string, kinds: readonly Kind[]) {
  const versions = versionsOf(group, kinds).map((one) => ({ groupVersion: `${group}/${one}`, version: one }));
  return { name: group, versions, preferredVersion: versions[0] };
}

interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

function resourcesIn(group: string, version: string, kinds: readonly Kind[]): readonly DiscoveredResource[] {
  const reviews = version === REVIEW_VERSION ? (reviewKinds[group] ?? []) : [];
  return [
    ...kinds.filter((kind) => kind.group === group && kind.version === version).flatMap(resourcesOf),
    ...reviews.map((kind) => ({
      name: `${kind.toLowerCase()}s`,
      singularName: kind.toLowerCase(),
      namespaced: false,
      kind,
      verbs: ['create'],
    })),
  ];
}

function resourcesOf(kind: Kind): DiscoveredResource[] {
  const { plural, singular, shortNames, categories = ['tinkerbell'] } = kind;
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  const namespaced = kind.scope !== 'Cluster';
  const part = (name: string, verbs: readonly string[]): DiscoveredResource => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    kind: kind.kind,
    verbs,
  });
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind: kind.kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      storageVersionHash: hashOf(apiVersionOf(kind) + kind.kind),
    },
    ...(kind.status === undefined ? [] : [part('status', ['get', 'patch', 'update'])]),
    ...(kind === serviceAccountKind ? [part('token', ['create'])] : []),
    ...(kind.kind === 'Workflow' ? operatorVerbs : []).map((verb) => part(verb, ['create'])),
  ];
}

/** Any text that changes with the stored form. */
function hashOf(text: string): string {
  return btoa(text).slice(0, 12);
}
