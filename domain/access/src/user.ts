/** Who asks, as authentication found it. Names as Kubernetes has them. */
export interface User {
  /** `system:anonymous`, `system:serviceaccount:NAMESPACE:NAME`, or what the identity provider says. */
  readonly name: string;
  readonly groups: readonly string[];
}

export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Of everybody who is not anonymous. */
export const AUTHENTICATED = 'system:authenticated';

/** May do everything, whatever the roles say: how a site that has locked itself out gets in again. */
export const MASTERS = 'system:masters';

export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  };
}
