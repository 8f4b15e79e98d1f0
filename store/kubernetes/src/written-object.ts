/** Compares an object of the cluster with the written one, apart from fields that the API server fills in. */
import { isDeepEqual, type Resource } from '@tinkerbell/resources';
import { objectFrom } from '@tinkerbell/store-contract';

/** Each is the server's. */
const SERVER_FIELDS = [
  'resourceVersion',
  'generation',
  'managedFields',
  'uid',
  'creationTimestamp',
  'selfLink',
];

/** Returns true when every client field is the same. An absent status equals an empty one. */
export function isAsWritten(found: Resource, written: Resource): boolean {
  return isDeepEqual(ofClients(found), ofClients(written));
}

/** Returns true when everything that was written is present. The server may have added defaults. */
export function includes(found: Resource, written: Resource): boolean {
  return contains(ofClients(found), ofClients(written));
}

/** As JSON has it. */
function ofClients(object: Resource): unknown {
  const { metadata, status, ...rest } = objectFrom(JSON.stringify(object));
  const own = Object.entries(metadata).filter(
    ([field, value]) => !SERVER_FIELDS.includes(field) && value !== '' && !isEmpty(value),
  );
  return { ...rest, ...(isEmpty(status ?? {}) ? {} : { status }), metadata: Object.fromEntries(own) };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function contains(found: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return isDeepEqual(found, part);
  if (typeof found !== 'object' || found === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...found };
  return Object.entries(part).every(([field, value]) => contains(fields[field], value));
}
