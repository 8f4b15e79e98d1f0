/** Parses the path of a Kubernetes API request: group, version, namespace, resource, name, subresource. */
import { templateKind, type Kind } from '@tinkerbell/resources';
import type { KindCatalog } from './kind-catalog.ts';

export interface ResourceTarget {
  readonly kind: Kind;
  /** If undefined, all namespaces; always undefined for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** True for `…/templates/<name>/render`, whose POST stores nothing. It counts as reading the Template. */
export function isRendering({ kind, subresource }: ResourceTarget): boolean {
  return kind === templateKind && subresource === 'render';
}

/** Subresources of Namespace. Any other word in that position is a resource in the namespace. */
const namespaceSubresources: readonly string[] = ['status', 'finalize'];

/** Returns undefined if the path names no known resource. */
export function resourceTarget(path: string, catalog: KindCatalog): ResourceTarget | undefined {
  const parts = decoded(path);
  if (parts === undefined) return undefined;
  const [root, ...rest] = parts;
  if (root === 'api') return targetIn('', rest, catalog);
  const [group = '', ...more] = rest;
  return root === 'apis' && group !== '' ? targetIn(group, more, catalog) : undefined;
}

function targetIn(group: string, parts: readonly string[], catalog: KindCatalog): ResourceTarget | undefined {
  const [version = '', ...rest] = parts;
  const namespace = namespaceIn(rest);
  const [plural = '', name, subresource, ...more] = namespace === undefined ? rest : rest.slice(2);
  const kind = catalog.byPath(group, version, plural);
  if (kind === undefined || more.length > 0) return undefined;
  const isCluster = kind.scope === 'Cluster';
  if (isCluster ? namespace !== undefined : namespace === undefined && name !== undefined) return undefined;
  return { kind, ...given({ namespace, name, subresource }) };
}

function namespaceIn([first, namespace, third]: readonly string[]): string | undefined {
  const isNamespaced =
    first === 'namespaces' && third !== undefined && !namespaceSubresources.includes(third);
  return isNamespaced ? namespace : undefined;
}

/** Contains only the parts that the path has. */
function given(
  parts: Readonly<Record<'namespace' | 'name' | 'subresource', string | undefined>>,
): Partial<Record<keyof typeof parts, string>> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function decoded(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
