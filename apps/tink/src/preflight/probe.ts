/** The probes of a preflight: the first requests of an operating system and of three kinds of firmware. They take no lease. */
import { emptyPacket, encodePacket, messageType, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { IPV4_ANY, macToBytes, type Ipv4, type Mac } from '@tinkerbell/wire';

/** `boot-server` is the request for a boot file that firmware with an address sends to UDP 4011. */
export type ProbeKind = 'os' | 'pxe-bios' | 'pxe-uefi' | 'http-uefi' | 'boot-server';

export const discoverKinds = ['os', 'pxe-bios', 'pxe-uefi', 'http-uefi'] as const;

export const probeNames: Readonly<Record<ProbeKind, string>> = {
  os: 'an operating system',
  'pxe-bios': 'PXE, x86 BIOS',
  'pxe-uefi': 'PXE, x86-64 UEFI',
  'http-uefi': 'HTTP boot, x86-64 UEFI',
  'boot-server': 'PXE on UDP 4011',
};

export interface ProbeInput {
  readonly mac: Mac;
  readonly transactionId: number;
  /** MAC of the sending network interface; the UDP 4011 probe also has an address. */
  readonly address?: Ipv4;
}

/** Returns the bytes of one probe. It requests a broadcast reply. */
export function probePacket(kind: ProbeKind, { mac, transactionId, address }: ProbeInput): Uint8Array {
  const isBootServer = kind === 'boot-server';
  const hardwareAddress = new Uint8Array(16);
  hardwareAddress.set(macToBytes(mac));
  const packet: DhcpPacket = {
    ...emptyPacket,
    transactionId,
    secondsElapsed: 4,
    broadcast: !isBootServer,
    ciaddr: isBootServer ? (address ?? IPV4_ANY) : IPV4_ANY,
    hardwareAddress,
    options: {
      messageType: isBootServer ? messageType.request : messageType.discover,
      maximumMessageBytes: 1472,
      parameterRequestList: ASKED,
      ...firmwareOptions(kind, mac),
    },
  };
  const encoded = encodePacket(packet);
  if (!encoded.ok) throw new Error(encoded.error.message);
  return encoded.bytes;
}

/** The names in the report, and the vendor class that makes servers send boot options. */
const ASKED = [1, 3, 6, 15, 28, 43, 51, 54, 60, 66, 67, 121, 150];

const firmwares = {
  'pxe-bios': { vendor: 'PXEClient', architecture: 0, undi: { type: 1, major: 2, minor: 1 } },
  'pxe-uefi': { vendor: 'PXEClient', architecture: 7, undi: { type: 1, major: 3, minor: 16 } },
  'http-uefi': { vendor: 'HTTPClient', architecture: 16, undi: { type: 1, major: 3, minor: 16 } },
  'boot-server': { vendor: 'PXEClient', architecture: 7, undi: { type: 1, major: 3, minor: 16 } },
} as const;

function firmwareOptions(kind: ProbeKind, mac: Mac): Partial<DhcpOptions> {
  if (kind === 'os') return {};
  const { vendor, architecture, undi } = firmwares[kind];
  const version = `${undi.major}${String(undi.minor).padStart(2, '0')}`.padStart(6, '0');
  return {
    vendorClassIdentifier: `${vendor}:Arch:${String(architecture).padStart(5, '0')}:UNDI:${version}`,
    clientArchitectures: [architecture],
    clientNetworkInterface: undi,
    clientMachineIdentifier: Uint8Array.of(0, ...new Uint8Array(10), ...macToBytes(mac)),
  };
}
