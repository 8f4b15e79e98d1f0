import { ipv4FromNumber, ipv4ToNumber, parseIpv4, parseMac, type Mac } from '@tinkerbell/wire';
import type { LoaderKind } from './loader-config.ts';

/** The machine that a boot loader's file name identifies: by MAC, by address, or the requesting client. */
export interface LoaderFileName {
  readonly loader: LoaderKind;
  readonly machine:
    | { readonly by: 'mac'; readonly mac: Mac }
    | { readonly by: 'address'; readonly address: string };
}

/**
 * PXELINUX and U-Boot request `pxelinux.cfg/<uuid>`, `01-<MAC>`, the address in 8 to 1 hexadecimal digits, `default` and (U-Boot)
 * `default-<architecture>`, in that order. GRUB requests `grub.cfg-01-<MAC>`, `grub.cfg-<address>` and `grub.cfg`. Any
 * directories may precede the name, and letters may be of either case. A UUID and `default` refer to the requesting client, which
 * its address identifies. Returns undefined for other names, and for shortened addresses that are not the client's.
 */
export function loaderFileNameOf(fileName: string, clientAddress: string): LoaderFileName | undefined {
  const [, pxelinuxName] = /^(?:.*\/)?pxelinux\.cfg\/([^/]+)$/i.exec(fileName) ?? [];
  const grub = /^(?:.*\/)?grub\.cfg(?:-([^/]+))?$/i.exec(fileName);
  if (pxelinuxName === undefined && grub === null) return undefined;
  const loader = pxelinuxName === undefined ? 'grub' : 'pxelinux';
  const machine = machineOf(pxelinuxName ?? grub?.[1] ?? 'default', clientAddress);
  return machine === undefined ? undefined : { loader, machine };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function machineOf(name: string, clientAddress: string): LoaderFileName['machine'] | undefined {
  const mac = parseMac(/^01-(.{17})$/.exec(name)?.[1] ?? '');
  if (mac !== undefined) return { by: 'mac', mac };
  if (UUID.test(name) || /^default(?:-[\w-]+)?$/i.test(name))
    return { by: 'address', address: clientAddress };
  if (!/^[0-9a-f]{1,8}$/i.test(name)) return undefined;
  if (name.length === 8) return { by: 'address', address: ipv4FromNumber(Number.parseInt(name, 16)) };
  const client = parseIpv4(clientAddress);
  const digits = client === undefined ? '' : ipv4ToNumber(client).toString(16).padStart(8, '0');
  return digits.startsWith(name.toLowerCase()) ? { by: 'address', address: clientAddress } : undefined;
}
