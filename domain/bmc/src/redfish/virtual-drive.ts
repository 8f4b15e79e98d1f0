/** Which virtual drive serves as the CD drive, and what to send to insert an image. */
import type { RedfishMessage, VirtualMedia } from '@tinkerbell/redfish';

/** Returns the first drive for CDs or DVDs, so that reading and writing use the same one. */
export function cdDriveOf<Drive extends VirtualMedia>(drives: readonly Drive[]): Drive | undefined {
  const cds = drives.filter(({ types }) => types.includes('CD') || types.includes('DVD'));
  // A drive without an action takes a PATCH. Lenovo has drives of both kinds, and some of those without are read-only.
  return cds.find(({ insert }) => insert !== undefined) ?? cds[0];
}

/** Returns the URL of the image, or undefined for an empty drive. */
export function imageIn({ image, isInserted }: VirtualMedia): string | undefined {
  return isInserted === false ? undefined : image;
}

export type InsertBody = Readonly<Record<string, string | boolean>>;

/**
 * The body of InsertMedia. The other parameters are optional, and Supermicro X11 refuses them (OpenStack sushy, virtual_media.py).
 * Inserted and WriteProtected are true by default (schema VirtualMedia).
 */
export function insertBody(url: string): InsertBody {
  return { Image: url };
}

/** The body of the change of a drive without actions, such as Lenovo SD530, which inserts only when Inserted is stated. */
export function insertChange(url: string): InsertBody {
  return { Image: url, Inserted: true, WriteProtected: true };
}

/**
 * Returns a body with the parameter that the refusal names. Undefined: it names none that can be added. Cisco names it in the
 * arguments, others in the text only (OpenStack sushy).
 */
export function withMissingParameter(
  body: InsertBody,
  messages: readonly RedfishMessage[],
): InsertBody | undefined {
  const missing = messages.filter(({ name }) => /(?:Missing|GeneralError|Required)$/.test(name));
  const names = (parameter: string) =>
    missing.some(({ text, about }) => [text, ...about].some((one) => one.includes(parameter)));
  const url = typeof body['Image'] === 'string' ? body['Image'] : '';
  const added: InsertBody = {
    TransferProtocolType: url.slice(0, url.indexOf(':')).toUpperCase(),
    TransferMethod: 'Stream',
    Inserted: true,
    WriteProtected: true,
  };
  const parameter = Object.keys(added).find((name) => !(name in body) && names(name));
  const value = parameter === undefined ? undefined : added[parameter];
  return parameter === undefined || value === undefined ? undefined : { ...body, [parameter]: value };
}
