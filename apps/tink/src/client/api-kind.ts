/** A kind in API paths: one of ours, or one known only through the server's discovery. */
import type { Kind, ObjectsOf, Resource } from '@tinkerbell/resources';

export type ApiKind<Object extends Resource = Resource> = Pick<
  Kind,
  'group' | 'version' | 'kind' | 'plural' | 'singular' | 'shortNames'
> &
  ObjectsOf<Object> & {
    /** Default: true. */
    readonly namespaced?: boolean;
  };

/** `tinkerbell.org/v1alpha1`; `v1` for Kubernetes core kinds. */
export function groupVersionOf({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware`; all namespaces if `namespace` is undefined. */
export function collectionPathOf(kind: ApiKind, namespace: string | undefined): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const place =
    namespace === undefined || kind.namespaced === false
      ? ''
      : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}/${groupVersionOf(kind)}${place}/${kind.plural}`;
}
