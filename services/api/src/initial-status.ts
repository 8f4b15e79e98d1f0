/** Sets the status that the server computes at every write: the phase of a Namespace, the conditions of a definition. */
import {
  customResourceDefinitionKind,
  isRecord,
  namespaceKind,
  ofKind,
  type Kind,
  type Resource,
} from '@tinkerbell/resources';
import { acceptedDefinition } from './custom/accepted-definition.ts';
import { NAMESPACE_CONTENT } from './delete-object.ts';
import type { KindCatalog } from './kind-catalog.ts';
import type { ServerValues } from './prepare-object.ts';

export function completed(
  kind: Kind,
  object: Resource,
  { catalog, values }: { readonly catalog: KindCatalog; readonly values: Pick<ServerValues, 'now'> },
): Resource {
  if (kind === namespaceKind) return completedNamespace(object);
  if (kind === customResourceDefinitionKind)
    return acceptedDefinition(ofKind(object, customResourceDefinitionKind), catalog, values.now);
  return object;
}

/** Like in Kubernetes, the finalizer in the spec keeps the namespace until it is empty. */
function completedNamespace(object: Resource): Resource {
  const { name, labels, deletionTimestamp } = object.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: [NAMESPACE_CONTENT] },
    status: {
      ...(isRecord(object.status) ? object.status : {}),
      phase: deletionTimestamp === undefined ? 'Active' : 'Terminating',
    },
  };
}
