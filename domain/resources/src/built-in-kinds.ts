/** Every kind that is served from the start: Tinkerbell's, and the few of Kubernetes that they and their users need. */
import { customResourceDefinitionKind } from './core/custom-resource-definition.ts';
import { eventKind } from './core/event.ts';
import { leaseKind, namespaceKind } from './core/namespace.ts';
import { roleKinds } from './core/role-kinds.ts';
import { configMapKind, secretKind } from './core/secret.ts';
import { serviceAccountKind } from './core/service-account.ts';
import { apiVersionOf, type Kind } from './kind.ts';
import { kinds } from './kinds.ts';

export const coreKinds: readonly Kind[] = [
  configMapKind,
  eventKind,
  namespaceKind,
  secretKind,
  serviceAccountKind,
  leaseKind,
  ...roleKinds,
  customResourceDefinitionKind,
];

/** Core kinds first, as discovery shows them. */
export const builtInKinds: readonly Kind[] = [...coreKinds, ...kinds];

/** The kind of an object by its `apiVersion` and `kind` fields, or undefined. */
export function kindFor(apiVersion: string, kind: string): Kind | undefined {
  return builtInKinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
}
