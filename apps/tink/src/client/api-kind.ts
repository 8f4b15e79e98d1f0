/** A kind as the API's paths name it: one of ours, or one that only the server's discovery knows. */
import type { Kind } from '@tinkerbell/resources';

export type ApiKind = Pick<Kind, 'group' | 'version' | 'kind' | 'plural' | 'singular' | 'shortNames'> & {
  /** Absent means true. */
  readonly namespaced?: boolean;
};

/** `tinkerbell.org/v1alpha1`; `v1` for the kinds of Kubernetes' core. */
export function groupVersionOf({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware`; all namespaces when there is none. */
export function collectionPathOf(kind: ApiKind, namespace: string | undefined): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const place =
    namespace === undefined || kind.namespaced === false
      ? ''
      : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}/${groupVersionOf(kind)}${place}/${kind.plural}`;
}
