import { bootFileFor } from '../boot-file.ts';
import type { NetbootClient } from '../dhcp/client.ts';
import type { Reservation } from '../dhcp/reservation.ts';
import type { NetbootSettings } from '../settings.ts';

/** The settings of DHCPv6 replies beyond those of both protocols. */
export interface V6Settings {
  readonly netboot: NetbootSettings;
  /** The URL of the iPXE binaries at an IPv6 address, with a slash at its end: `http://[2001:db8::1]:7080/ipxe/binary/`. */
  readonly httpBinaryV6Url?: string;
  /** The URL of the script at an IPv6 address. `netboot.scriptUrlHasMac` controls whether the MAC is inserted. */
  readonly scriptV6Url?: string;
}

/** The reason why a reply names no boot file. */
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

/** Returns the URL of option 59, by the same rules as the boot file of DHCPv4. */
export function v6BootUrlFor(
  client: NetbootClient,
  reservation: Reservation,
  settings: V6Settings,
): V6BootUrl {
  if (!client.isNetbootClient) return { ok: false, reason: 'not-a-netboot-client' };
  // As with DHCPv4, the names in the Hardware replace the server's choice. A name without a server cannot be
  // loaded.
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
 * DHCPv4's settings with the IPv6 URLs in their places. No features of iPXE are required: it does not send them by DHCPv6, and
 * would get the server's binary for ever.
 */
function asHttpSettings({ netboot, httpBinaryV6Url = '', scriptV6Url = '' }: V6Settings): NetbootSettings {
  const { ipxeFeatures: _, ...rest } = netboot;
  return { ...rest, httpBinary: { ...netboot.httpBinary, url: httpBinaryV6Url }, scriptUrl: scriptV6Url };
}
