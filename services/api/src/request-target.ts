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
  if (parts[0] === 'api') return targetIn('', { parts, at: 1 }, catalog);
  const group = parts[1] ?? '';
  return parts[0] === 'apis' && group !== '' ? targetIn(group, { parts, at: 2 }, catalog) : undefined;
}

/** `at` is the place of the version. */
function targetIn(
  group: string,
  { parts, at }: { readonly parts: readonly string[]; readonly at: number },
  catalog: KindCatalog,
): ResourceTarget | undefined {
  const namespace = namespaceAt(parts, at + 1);
  const pluralAt = at + (namespace === undefined ? 1 : 3);
  const name = parts[pluralAt + 1];
  const subresource = parts[pluralAt + 2];
  const kind = catalog.byPath(group, parts[at] ?? '', parts[pluralAt] ?? '');
  if (kind === undefined || parts.length > pluralAt + 3) return undefined;
  const isCluster = kind.scope === 'Cluster';
  if (isCluster ? namespace !== undefined : namespace === undefined && name !== undefined) return undefined;
  // Contains only the parts that the path has.
  return {
    kind,
    ...(namespace === undefined ? undefined : { namespace }),
    ...(name === undefined ? undefined : { name }),
    ...(subresource === undefined ? undefined : { subresource }),
  };
}

function namespaceAt(parts: readonly string[], at: number): string | undefined {
  const third = parts[at + 2];
  const isNamespaced =
    parts[at] === 'namespaces' && third !== undefined && !namespaceSubresources.includes(third);
  return isNamespaced ? parts[at + 1] : undefined;
}

function decoded(path: string): string[] | undefined {
  try {
    const parts = path.split('/').filter((part) => part !== '');
    return path.includes('%') ? parts.map(decodeURIComponent) : parts;
  } catch {
    return undefined;
  }
}
