/** The schema of `metadata` with the fields that clients may write (meta/v1 ObjectMeta). */
const PREFIX = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const OBJECT_META = `${PREFIX}.ObjectMeta`;
const OWNER_REFERENCE = `${PREFIX}.OwnerReference`;

const text = (description: string) => ({ type: 'string', description });
const textMap = (description: string) => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});

/** By name. `reference` is the prefix of references between schemas. */
export function objectMetaSchemas(reference: string): Record<string, Record<string, unknown>> {
  return {
    [OBJECT_META]: {
      type: 'object',
      description: 'Metadata of the object: name, labels, and fields set by the server.',
      properties: {
        annotations: textMap('Annotations for tools; cannot be used in selectors.'),
        creationTimestamp: text('Creation time; set by the server.'),
        deletionGracePeriodSeconds: { type: 'integer', description: 'Always 0 here.', format: 'int64' },
        deletionTimestamp: text('Time when the deletion was requested.'),
        finalizers: {
          type: 'array',
          description: 'Components that must act before the object is removed.',
          items: { type: 'string' },
          'x-kubernetes-patch-strategy': 'merge',
        },
        generateName: text('Prefix from which the server generates a name, if name is empty.'),
        generation: {
          type: 'integer',
          description: 'Increases with each change of the spec.',
          format: 'int64',
        },
        labels: textMap('Labels for selectors.'),
        managedFields: {
          type: 'array',
          description: 'Owners of the fields.',
          items: { type: 'object' },
        },
        name: text('Name, unique among objects of its kind in its namespace.'),
        namespace: text('Namespace of the object.'),
        ownerReferences: {
          type: 'array',
          description: 'Owners of the object. It is deleted with them.',
          items: { $ref: `${reference}${OWNER_REFERENCE}` },
          'x-kubernetes-patch-merge-key': 'uid',
          'x-kubernetes-patch-strategy': 'merge',
        },
        resourceVersion: text('Version of the object; changes with every write.'),
        selfLink: text('Deprecated; no longer set.'),
        uid: text('Unique identifier, never reused.'),
      },
    },
    [OWNER_REFERENCE]: {
      type: 'object',
      description: 'An object that owns this one.',
      required: ['apiVersion', 'kind', 'name', 'uid'],
      properties: {
        apiVersion: text('API version of the owner.'),
        blockOwnerDeletion: {
          type: 'boolean',
          description: 'If true, foreground deletion of the owner waits for this object.',
        },
        controller: { type: 'boolean', description: 'True if the owner is the managing controller.' },
        kind: text('Kind of the owner.'),
        name: text('Name of the owner.'),
        uid: text('UID of the owner.'),
      },
    },
  };
}
