/** The authenticated user of a request. Names are those of Kubernetes. */
export interface User {
  /** `system:anonymous`, `system:serviceaccount:NAMESPACE:NAME`, or the name from the identity provider. */
  readonly name: string;
  readonly groups: readonly string[];
  /** The name of the user who acts as this one (the Impersonate-User header), for the audit. */
  readonly impersonatedBy?: string;
}

export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** The group of every user who is not anonymous. */
export const AUTHENTICATED = 'system:authenticated';

/** May do everything, whatever the roles grant. A site that has locked itself out regains access with it. */
export const MASTERS = 'system:masters';

/** The user with the token of the server's own data folder: a command on the server, run by its owner. */
export const LOCAL_ADMIN: User = { name: 'system:admin', groups: [MASTERS, AUTHENTICATED] };

export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  };
}
