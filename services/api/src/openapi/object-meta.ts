/** The schema of `metadata`, as far as clients may write it (meta/v1 ObjectMeta). */
const PREFIX = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const OBJECT_META = `${PREFIX}.ObjectMeta`;
const OWNER_REFERENCE = `${PREFIX}.OwnerReference`;

const text = (description: string) => ({ type: 'string', description });
const textMap = (description: string) => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});

/** By name; `reference` begins the references among them. */
export function objectMetaSchemas(reference: string): Record<string, Record<string, unknown>> {
  return {
    [OBJECT_META]: {
      type: 'object',
      description: 'What all objects have: their name, labels, and what the server knows of them.',
      properties: {
        annotations: textMap('Notes of tools.'),
        creationTimestamp: text('When it was created; the server says.'),
        deletionGracePeriodSeconds: { type: 'integer', description: 'Always 0 here.', format: 'int64' },
        deletionTimestamp: text('When its deletion was asked for.'),
        finalizers: {
          type: 'array',
          description: 'Who must do something before it goes.',
          items: { type: 'string' },
          'x-kubernetes-patch-strategy': 'merge',
        },
        generateName: text('What the server makes a name from, when there is none.'),
        generation: { type: 'integer', description: 'Grows with each change of the spec.', format: 'int64' },
        labels: textMap('What selectors select by.'),
        managedFields: {
          type: 'array',
          description: 'Who has set which fields.',
          items: { type: 'object' },
        },
        name: text('Unique among its kind in its namespace.'),
        namespace: text('The room of its name.'),
        ownerReferences: {
          type: 'array',
          description: 'The objects with which it goes.',
          items: { $ref: `${reference}${OWNER_REFERENCE}` },
          'x-kubernetes-patch-merge-key': 'uid',
          'x-kubernetes-patch-strategy': 'merge',
        },
        resourceVersion: text('Changes with every write.'),
        selfLink: text('No longer given.'),
        uid: text('Unlike that of any other object, ever.'),
      },
    },
    [OWNER_REFERENCE]: {
      type: 'object',
      description: 'An object that owns this one.',
      required: ['apiVersion', 'kind', 'name', 'uid'],
      properties: {
        apiVersion: text('Of the owner.'),
        blockOwnerDeletion: {
          type: 'boolean',
          description: 'Foreground deletion of the owner waits for it.',
        },
        controller: { type: 'boolean', description: 'The owner is its controller.' },
        kind: text('Of the owner.'),
        name: text('Of the owner.'),
        uid: text('Of the owner.'),
      },
    },
  };
}
