/** Members of a resource. What is absent, null or of another type is undefined, because BMCs omit what the schemas require. */
import { isObject, type RedfishObject } from './redfish-json.ts';

/** Own members only, so that no name of a member reaches the prototype. */
export function memberOf(resource: RedfishObject | undefined, name: string): unknown {
  return resource !== undefined && Object.hasOwn(resource, name) ? resource[name] : undefined;
}

export function objectIn(resource: RedfishObject | undefined, name: string): RedfishObject | undefined {
  const value = memberOf(resource, name);
  return isObject(value) ? value : undefined;
}

/** The objects of an array. Other values in it are skipped. */
export function objectsIn(resource: RedfishObject | undefined, name: string): readonly RedfishObject[] {
  const value = memberOf(resource, name);
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : [];
}

/** Without white space around it: firmware pads the fields of SMBIOS. An empty text counts as absent. */
export function textIn(resource: RedfishObject | undefined, name: string): string | undefined {
  const value = memberOf(resource, name);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** The texts of an array, or undefined when there is no array. */
export function textsIn(resource: RedfishObject | undefined, name: string): readonly string[] | undefined {
  const value = memberOf(resource, name);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
}

export function numberIn(resource: RedfishObject | undefined, name: string): number | undefined {
  const value = memberOf(resource, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function booleanIn(resource: RedfishObject | undefined, name: string): boolean | undefined {
  const value = memberOf(resource, name);
  return typeof value === 'boolean' ? value : undefined;
}
