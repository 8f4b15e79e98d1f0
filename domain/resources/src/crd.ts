/** Converts a kind to a Kubernetes CustomResourceDefinition. */
import type { Schema } from './schema.ts';
import { apiVersionOf, collectionOf, type Kind } from './kind.ts';

/** Returns the CRD as plain JSON, with keys in a stable order. */
export function crdFor(kind: Kind): Record<string, unknown> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: collectionOf(kind), ...(kind.labels === undefined ? {} : { labels: kind.labels }) },
    spec: {
      group: kind.group,
      names: {
        categories: ['tinkerbell'],
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
        singular: kind.singular,
      },
      scope: 'Namespaced',
      versions: [versionOf(kind)],
    },
  };
}

function versionOf(kind: Kind): Record<string, unknown> {
  return {
    ...(kind.printerColumns.length > 0 ? { additionalPrinterColumns: kind.printerColumns } : {}),
    name: kind.version,
    schema: {
      openAPIV3Schema: {
        description: kind.description,
        type: 'object',
        properties: {
          apiVersion: {
            description: `Group and version of the schema: \`${apiVersionOf(kind)}\`.`,
            type: 'string',
          },
          kind: { description: `Name of the schema: \`${kind.kind}\`.`, type: 'string' },
          // Only the type: kube-apiserver adds ObjectMeta, and refuses a description here.
          metadata: { type: 'object' },
          spec: openApiOf(kind.spec ?? {}),
          status: openApiOf(kind.status ?? {}),
        },
      },
    },
    served: true,
    storage: true,
    subresources: { status: {} },
  };
}

/** Returns a schema without the builder's own marks. */
export function openApiOf(schema: Schema): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(schema));
}
