import { bootFileFor } from '../boot-file.ts';
import type { NetbootClient } from '../dhcp/client.ts';
import type { Reservation } from '../dhcp/reservation.ts';
import type { NetbootSettings } from '../settings.ts';

/** What DHCPv6 replies say beyond what both protocols say. */
export interface V6Settings {
  readonly netboot: NetbootSettings;
  /** URL of the iPXE binaries at an IPv6 address, ending in a slash: `http://[2001:db8::1]:7080/ipxe/binary/`. */
  readonly httpBinaryV6Url?: string;
  /** URL of the script at an IPv6 address; the MAC is put in as `netboot.scriptUrlHasMac` says. */
  readonly scriptV6Url?: string;
}

/** Why a reply names no boot file. */
export type V6NoBootReason =
  | 'not-a-netboot-client'
  | 'netboot-options-disabled'
  | 'netboot-not-allowed'
  | 'no-binary'
  | 'tftp-over-ipv6'
  | 'no-ipv6-url';

export type V6BootUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: V6NoBootReason };

/** The URL of option 59, by the same rules as the boot file of DHCPv4. */
export function v6BootUrlFor(
  client: NetbootClient,
  reservation: Reservation,
  settings: V6Settings,
): V6BootUrl {
  if (!client.isNetbootClient) return { ok: false, reason: 'not-a-netboot-client' };
  // As with DHCPv4: what the Hardware names replaces our own choice. A name without a server is none that can be loaded.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(reservation.bootFileName))
    return { ok: true, url: reservation.bootFileName };
  if (!settings.netboot.netbootOptionsEnabled) return { ok: false, reason: 'netboot-options-disabled' };
  const { kind, file } = bootFileFor(client, reservation, asHttpSettings(settings));
  if (kind === 'not-allowed')
    return { ok: false, reason: reservation.mayNetboot ? 'no-binary' : 'netboot-not-allowed' };
  if (client.protocol === 'pxe') return { ok: false, reason: 'tftp-over-ipv6' };
  return URL_WITH_HOST.test(file) ? { ok: true, url: file } : { ok: false, reason: 'no-ipv6-url' };
}

const URL_WITH_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i;

/**
 * DHCPv4's settings with the IPv6 URLs in their places. No features of iPXE are asked for: it does not tell them by DHCPv6, and would be
 * sent our binary for ever.
 */
function asHttpSettings({ netboot, httpBinaryV6Url = '', scriptV6Url = '' }: V6Settings): NetbootSettings {
  const { ipxeFeatures: _, ...rest } = netboot;
  return { ...rest, httpBinary: { ...netboot.httpBinary, url: httpBinaryV6Url }, scriptUrl: scriptV6Url };
}
