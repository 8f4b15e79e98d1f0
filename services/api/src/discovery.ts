/** What the API offers, in the shapes that `kubectl` asks for before anything else. */
import { apiVersionOf, kinds, type Kind } from '@tinkerbell/resources';
import { operatorVerbs } from '@tinkerbell/workflow';

const groups = [...new Set(kinds.map((kind) => kind.group))];

/** The document at a discovery path, or undefined. */
export function discoveryDocument(path: string): object | undefined {
  switch (path) {
    case '/api':
      return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    case '/api/v1':
      return { kind: 'APIResourceList', groupVersion: 'v1', resources: [] };
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) };
    case '/version':
      return version;
    default:
      return groupDocument(path);
  }
}

/** The Kubernetes API level that we follow; clients compare it with their own. */
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

function groupDocument(path: string): object | undefined {
  const [, root, group, version, ...more] = path.split('/');
  if (root !== 'apis' || group === undefined || !groups.includes(group) || more.length > 0) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
  const inVersion = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (inVersion.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/${version}`,
    resources: inVersion.flatMap(resourcesOf),
  };
}

function groupOf(group: string) {
  const versions = [...new Set(kinds.filter((kind) => kind.group === group).map((kind) => kind.version))].map(
    (one) => ({ groupVersion: `${group}/${one}`, version: one }),
  );
  return { name: group, versions, preferredVersion: versions[0] };
}

function resourcesOf(kind: Kind): object[] {
  const { plural, singular, shortNames } = kind;
  const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
  return [
    {
      name: plural,
      singularName: singular,
      namespaced: true,
      kind: kind.kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      categories: ['tinkerbell'],
      storageVersionHash: hashOf(apiVersionOf(kind) + kind.kind),
    },
    {
      name: `${plural}/status`,
      singularName: '',
      namespaced: true,
      kind: kind.kind,
      verbs: ['get', 'patch', 'update'],
    },
    ...(kind.kind === 'Workflow' ? operatorVerbs : []).map((verb) => ({
      name: `${plural}/${verb}`,
      singularName: '',
      namespaced: true,
      kind: kind.kind,
      verbs: ['create'],
    })),
  ];
}

/** Any text that changes with the stored form will do. */
function hashOf(text: string): string {
  return btoa(text).slice(0, 12);
}
