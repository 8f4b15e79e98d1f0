/** Which images this server fetches for machines whose BMC does not fetch them itself (Intel AMT). */
import type { HttpTarget } from '@tinkerbell/platform-contract';
import { mayFetchFrom, type AllowedSources } from '@tinkerbell/service-boot';

const OWN_IMAGES = '/iso/';

export interface DiscImageSettings {
  /** `--iso-allow-source`. */
  readonly allowed: AllowedSources;
  /** Where this server itself answers. */
  readonly ownPorts: readonly number[];
}

/**
 * As for images that this server patches: not from this machine or its own segment, unless the operator lists it. The server's own images
 * are allowed, and nothing else of it, because whoever may write Jobs chooses the URL.
 */
export function mayFetchDisc({ allowed, ownPorts }: DiscImageSettings) {
  return (url: string): ((target: HttpTarget) => boolean) => {
    const isOwnImage = isImageOf(url, ownPorts);
    return (target) =>
      (isOwnImage && target.isThisMachine && target.redirects === 0) ||
      mayFetchFrom(target, { isOwnChoice: false, allowed });
  };
}

function isImageOf(text: string, ports: readonly number[]): boolean {
  const url = URL.parse(text);
  if (url === null || !url.pathname.startsWith(OWN_IMAGES)) return false;
  const usual = url.protocol === 'https:' ? 443 : 80;
  return ports.includes(url.port === '' ? usual : Number(url.port));
}
