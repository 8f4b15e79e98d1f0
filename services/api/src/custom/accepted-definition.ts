/** Computes the status of a CustomResourceDefinition: whether its names are free, and so whether it is served. */
import {
  builtInKinds,
  collectionOf,
  type CustomResourceDefinition,
  type DefinitionCondition,
  type Kind,
} from '@tinkerbell/resources';
import type { KindCatalog } from '../kind-catalog.ts';

/** True for a built-in kind. Its definition is stored and has no effect. */
export function isBuiltIn(definition: CustomResourceDefinition): boolean {
  const { group = '', names } = definition.spec ?? {};
  return builtInKinds.some(
    (one) => collectionOf(one) === collectionOf({ group, plural: names?.plural ?? '' }),
  );
}

/** True if its kinds are served. */
export function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');
}

/** Sets conditions and accepted names from all other served kinds. */
export function acceptedDefinition(
  definition: CustomResourceDefinition,
  catalog: KindCatalog,
  now: string,
): CustomResourceDefinition {
  const { spec, status = {} } = definition;
  if (spec === undefined) return definition;
  const names = {
    ...spec.names,
    singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
    listKind: spec.names.listKind ?? `${spec.names.kind}List`,
  };
  const taken = conflictOf(definition, names, catalog);
  const conditions = conditionsOf(taken).map((condition): DefinitionCondition => {
    const same = status.conditions?.find(
      (one) => one.type === condition.type && one.status === condition.status,
    );
    return { ...condition, lastTransitionTime: same?.lastTransitionTime ?? now };
  });
  const stored = spec.versions.find((one) => one.storage)?.name ?? '';
  return {
    ...definition,
    spec: { ...spec, names, conversion: spec.conversion ?? { strategy: 'None' } },
    status: {
      acceptedNames: taken === undefined ? names : {},
      conditions,
      storedVersions: [...new Set([...(status.storedVersions ?? []), stored])],
    },
  };
}

/** Uses the types, reasons and messages of Kubernetes. */
function conditionsOf(taken: { readonly reason: string; readonly message: string } | undefined) {
  if (taken !== undefined)
    return [
      { type: 'NamesAccepted', status: 'False', ...taken },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ];
  const message = 'the initial names have been accepted';
  return [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message },
  ];
}

type Names = NonNullable<CustomResourceDefinition['spec']>['names'];

/** Returns the first name that another definition of the group has. */
function conflictOf(definition: CustomResourceDefinition, names: Names, catalog: KindCatalog) {
  const { group = '' } = definition.spec ?? {};
  const others = catalog
    .collections()
    .filter((one) => one.group === group && collectionOf(one) !== definition.metadata.name);
  const resources = new Set(others.flatMap((one) => [one.plural, one.singular, ...one.shortNames]));
  const kinds = new Set(others.flatMap((one) => [one.kind, listKindOf(one)]));
  const checks = [
    { reason: 'PluralConflict', name: names.plural, taken: resources },
    { reason: 'SingularConflict', name: names.singular ?? '', taken: resources },
    ...(names.shortNames ?? []).map((name) => ({ reason: 'ShortNamesConflict', name, taken: resources })),
    { reason: 'KindConflict', name: names.kind, taken: kinds },
    { reason: 'ListKindConflict', name: names.listKind ?? '', taken: kinds },
  ];
  const found = checks.find(({ name, taken }) => taken.has(name));
  return found && { reason: found.reason, message: `${JSON.stringify(found.name)} is already in use` };
}

function listKindOf({ listKind, kind }: Kind): string {
  return listKind ?? `${kind}List`;
}
