/** One encapsulated option of option 175, as the DHCP codec yields it. */
export interface FeatureOption {
  readonly code: number;
  readonly bytes: Uint8Array;
}

/** The information that an iPXE sends in option 175. */
export interface IpxeFeatures {
  /** A version such as `1.21.1`. Absent when sub-option 235 is absent. */
  readonly version?: string;
  /** Names of the compiled-in features, such as `http`. */
  readonly features: ReadonlySet<IpxeFeature>;
}

/**
 * Sub-options whose value 1 (for the first: a revision) means that a feature is present. Source: iPXE
 * src/include/ipxe/features.h.
 */
const featureByCode = {
  0x10: 'pxe-extensions',
  0x11: 'iscsi',
  0x12: 'aoe',
  0x13: 'http',
  0x14: 'https',
  0x15: 'tftp',
  0x16: 'ftp',
  0x17: 'dns',
  0x18: 'bzimage',
  0x19: 'multiboot',
  0x1a: 'slam',
  0x1b: 'srp',
  0x20: 'nbi',
  0x21: 'pxe',
  0x22: 'elf',
  0x23: 'comboot',
  0x24: 'efi',
  0x25: 'fcoe',
  0x26: 'vlan',
  0x27: 'menu',
  0x28: 'sdi',
  0x29: 'nfs',
} as const;

export type IpxeFeature = (typeof featureByCode)[keyof typeof featureByCode];

export const IPXE_FEATURES: readonly IpxeFeature[] = Object.values(featureByCode);

/** Sub-option 235: version, three bytes. */
const VERSION = 235;

/** Sub-option 176, sent to iPXE: do not wait for a proxy DHCP offer. It saves two seconds where there is no proxy. */
export const NO_PXEDHCP: FeatureOption = { code: 176, bytes: Uint8Array.of(1) };

/** Reads option 175 of a request. Unknown and malformed sub-options are skipped. */
export function ipxeFeaturesOf(subOptions: readonly FeatureOption[]): IpxeFeatures {
  const features = new Set<IpxeFeature>();
  let version: string | undefined;
  for (const { code, bytes } of subOptions) {
    const feature = (featureByCode as Partial<Record<number, IpxeFeature>>)[code];
    if (feature !== undefined && (bytes[0] ?? 0) > 0) features.add(feature);
    if (code === VERSION && bytes.length === 3) version = bytes.join('.');
  }
  return version === undefined ? { features } : { version, features };
}
