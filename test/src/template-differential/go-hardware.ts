/**
 * `.Hardware` for Go as a map with the names of Go's fields, so that templates find the same names as in
 * upstream's struct.
 */
import type { Hardware } from '@tinkerbell/resources';

const INITIALISMS = /^(?:mac|ip|id|dhcp|uefi|osie|ipxe|url|rpi|uid|gid)$/;

export function goHardware({ spec }: Hardware): unknown {
  return {
    Disks: (spec?.disks ?? []).map(({ device }) => device ?? ''),
    Interfaces: goNamed(spec?.interfaces ?? []),
    Metadata: goNamed(spec?.metadata ?? {}),
    UserData: spec?.userData ?? '',
    VendorData: spec?.vendorData ?? '',
  };
}

function goNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(goNamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [goName(name), goNamed(field)]));
}

/** Converts `name_servers` to `NameServers`, `mac` to `MAC`, `allowPXE` to `AllowPXE`. */
function goName(jsonName: string): string {
  return jsonName
    .split('_')
    .map((word) =>
      INITIALISMS.test(word) ? word.toUpperCase() : `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
    )
    .join('');
}
