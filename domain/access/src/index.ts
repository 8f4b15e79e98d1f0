export { ANONYMOUS, AUTHENTICATED, LOCAL_ADMIN, MASTERS, serviceAccountUser, type User } from './user.ts';
export type { Binding, Policy, RoleRef, Rule, Subject } from './role.ts';
export { builtInRoles } from './built-in-roles.ts';
export { decide, rulesOf, type Decision } from './decide.ts';
export { permits } from './permits.ts';
export type { Asked, AskedPath, AskedResource } from './permits.ts';
export { exceeds } from './exceeds.ts';
export { userOfClaims, type ClaimMapping } from './user-of-claims.ts';
