/** References between resources. They stay on the host that was asked. */
import { memberOf, objectIn, objectsIn } from './members.ts';
import { isObject, type RedfishObject } from './redfish-json.ts';

/** Longer than any path of a real BMC, and short enough for its HTTP server. */
const PATH_LENGTH_MAX = 2048;
/** A path and a query. The second slash would name another host, and some servers read a backslash as a slash. */
const PATH = /^\/(?![/\\])[\x21\x22\x24-\x5b\x5d-\x7e]*(?:#[\x21-\x7e]*)?$/;

/** Returns an absolute path on the same host, without its fragment. Anything else is undefined (DSP0266, section "Resource URIs"). */
export function pathOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > PATH_LENGTH_MAX || !PATH.test(value)) return undefined;
  return value.split('#', 1)[0];
}

/** The path of a reference object: `{"@odata.id": "/redfish/v1/Systems/1"}`. */
export function linkIn(resource: RedfishObject | undefined, name: string): string | undefined {
  return pathOf(memberOf(objectIn(resource, name), '@odata.id'));
}

/** The paths of an array of reference objects. */
export function linksIn(resource: RedfishObject | undefined, name: string): readonly string[] {
  return objectsIn(resource, name).flatMap((one) => pathOf(memberOf(one, '@odata.id')) ?? []);
}

/** The path of the resource itself. */
export function idOf(resource: unknown): string | undefined {
  return isObject(resource) ? pathOf(memberOf(resource, '@odata.id')) : undefined;
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the path of a `Location` header, which may be an absolute URL (DSP0266, section "Response headers"). Its host is dropped:
 * BMCs behind a NAT or with a wrong name state one that is not theirs, and the token must not leave.
 */
export function pathOfLocation(location: string | null): string | undefined {
  return location === null ? undefined : pathOf(location.trim().replace(ORIGIN, ''));
}
