import type { Mac } from '@tinkerbell/wire';

/** Client system architectures from RFC 4578 section 2.1 and its IANA registry. 41 is the Raspberry Pi's. */
export const RASPBERRY_PI = 41;
/** Stands for an unknown architecture. */
export const UNKNOWN_ARCHITECTURE = 255;

/** Maps an architecture to its iPXE binary. The table is upstream's (smee/internal/dhcp/data). */
const binaryByArchitecture: ReadonlyMap<number, string> = new Map([
  [0, 'undionly.kpxe'], // x86 BIOS
  [1, 'undionly.kpxe'], // NEC/PC98
  [2, 'undionly.kpxe'], // Itanium
  [3, 'undionly.kpxe'], // DEC Alpha
  [4, 'undionly.kpxe'], // Arc x86
  [5, 'undionly.kpxe'], // Intel Lean Client
  [20, 'undionly.kpxe'], // x86 BIOS, HTTP
  [6, 'ipxe.efi'], // EFI IA32
  [7, 'ipxe.efi'], // EFI x86-64
  [8, 'ipxe.efi'], // EFI Xscale
  [9, 'ipxe.efi'], // EFI BC; x86-64 firmware made before RFC 4578's erratum says 9
  [15, 'ipxe.efi'], // EFI IA32, HTTP
  [16, 'ipxe.efi'], // EFI x86-64, HTTP
  [10, 'snp-arm64.efi'], // EFI ARM32
  [11, 'snp-arm64.efi'], // EFI ARM64
  [18, 'snp-arm64.efi'], // EFI ARM32, HTTP
  [19, 'snp-arm64.efi'], // EFI ARM64, HTTP
  [RASPBERRY_PI, 'snp-arm64.efi'],
]);

/** Every binary that some architecture uses, each once. */
export function knownBinaries(overrides: ReadonlyMap<number, string>): readonly string[] {
  return [...new Set(new Map([...binaryByArchitecture, ...overrides]).values())];
}

/** Raspberry Pi ROMs report that they are x86 BIOS. Only the MAC prefixes of their makers identify them. */
const RASPBERRY_PI_PREFIXES = ['b8:27:eb', 'dc:a6:32', 'e4:5f:01', '28:cd:c1', 'd8:3a:dd'];

/**
 * Returns the first known architecture of option 93, or 255. Only makers' prefixes lead to 41. A client that sends 41 itself gets
 * no answer, as in upstream, whose library does not know it.
 */
export function architectureOf(clientArchitectures: readonly number[], mac: Mac | undefined): number {
  if (mac !== undefined && RASPBERRY_PI_PREFIXES.includes(mac.slice(0, 8))) return RASPBERRY_PI;
  const isKnown = (each: number): boolean => each !== RASPBERRY_PI && binaryByArchitecture.has(each);
  return clientArchitectures.find(isKnown) ?? UNKNOWN_ARCHITECTURE;
}

/** Returns the name of the iPXE binary, with the operator's overrides first, or undefined for an unknown architecture. */
export function binaryFor(architecture: number, overrides: ReadonlyMap<number, string>): string | undefined {
  return overrides.get(architecture) ?? binaryByArchitecture.get(architecture);
}
