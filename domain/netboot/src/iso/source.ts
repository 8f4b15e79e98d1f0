import type { Hardware } from '@tinkerbell/resources';
import { parseMac, type Mac } from '@tinkerbell/wire';

export type IsoSource =
  /** `hardware`: a user who may write Hardware chose it. `settings`: the operator did. */
  | { readonly kind: 'url'; readonly url: string; readonly chosenBy: 'hardware' | 'settings' }
  | { readonly kind: 'own' }
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * Returns the source of a machine's image: its Hardware's `isoboot.sourceISO`, else the operator's URL, else the server's own
 * image.
 */
export function isoSourceFor(
  hardware: Hardware | undefined,
  mac: Mac,
  upstreamUrl: string | undefined,
): IsoSource {
  const interfaces = hardware?.spec?.interfaces ?? [];
  const index = interfaces.findIndex(({ dhcp }) => parseMac(dhcp?.mac ?? '') === mac);
  const own = interfaces[index]?.isoboot?.sourceISO ?? '';
  if (own !== '') return urlSource(own, 'hardware', `spec.interfaces[${index}].isoboot.sourceISO`);
  if (upstreamUrl !== undefined) return urlSource(upstreamUrl, 'settings', 'iso-upstream-url');
  return { kind: 'own' };
}

function urlSource(url: string, chosenBy: 'hardware' | 'settings', field: string): IsoSource {
  return /^https?:\/\/[^\s/]+/i.test(url)
    ? { kind: 'url', url, chosenBy }
    : { kind: 'invalid', message: `${field} must be an http or https URL, not ${JSON.stringify(url)}` };
}
