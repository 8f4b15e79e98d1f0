/** Derives the user from a verified token of an external identity provider. */
import { AUTHENTICATED, type User } from './user.ts';

export interface ClaimMapping {
  /** The claim with the name of the user (default: `sub`). */
  readonly usernameClaim?: string;
  /** The prefix of the name, so that a provider cannot name `system:` users (default: `oidc:`). */
  readonly usernamePrefix?: string;
  /** The claim with a list of groups (default: `groups`). */
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  /** The client whose roles (`resource_access.CLIENT.roles`, in Keycloak's format) become groups too. */
  readonly client?: string;
}

type Claims = Readonly<Record<string, unknown>>;

/** Returns undefined when the claim with the user's name is missing or is not text. */
export function userOfClaims(claims: Claims, mapping: ClaimMapping = {}): User | undefined {
  const name = own(claims, mapping.usernameClaim ?? 'sub');
  if (typeof name !== 'string' || name === '') return undefined;
  const prefix = mapping.groupsPrefix ?? 'oidc:';
  const groups = new Set([
    ...texts(own(claims, mapping.groupsClaim ?? 'groups')),
    ...texts(own(record(own(claims, 'realm_access')), 'roles')),
    ...clientRoles(claims, mapping.client),
  ]);
  return {
    name: `${mapping.usernamePrefix ?? 'oidc:'}${name}`,
    groups: [...[...groups].map((group) => `${prefix}${group}`), AUTHENTICATED],
  };
}

function clientRoles(claims: Claims, client: string | undefined): string[] {
  if (client === undefined) return [];
  return texts(own(record(own(record(own(claims, 'resource_access')), client)), 'roles'));
}

function record(value: unknown): Claims {
  return isClaims(value) ? value : {};
}

function isClaims(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(from: Claims, name: string): unknown {
  return Object.hasOwn(from, name) ? from[name] : undefined;
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
