/** ServiceAccount (Kubernetes core/v1): a user for a program. The server issues its tokens. */
import type { Kind } from '../kind.ts';
import { Type } from '../schema.ts';

const Named = Type.Object({ name: Type.Optional(Type.String()) });

export const serviceAccountKind: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  categories: [],
  description: 'The identity of a program. Its tokens become invalid when it is deleted.',
  printerColumns: [],
  fields: {
    secrets: Type.Array(Named),
    imagePullSecrets: Type.Array(Named),
    automountServiceAccountToken: Type.Boolean(),
  },
};
