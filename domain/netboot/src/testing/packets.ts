import { emptyPacket, decodePacket, encodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import type { Hardware } from '@tinkerbell/resources';
import { hexToBytes, ipv4, mac } from '@tinkerbell/wire';
import type { HookScriptSettings, NetbootSettings } from '../index.ts';

export const MAC = mac('02:00:5e:10:00:01');

export const settings: NetbootSettings = {
  mode: 'reservation',
  serverAddress: ipv4('192.168.77.1'),
  syslogAddress: ipv4('192.168.77.2'),
  netbootOptionsEnabled: true,
  tftp: { address: ipv4('192.168.77.1'), port: 69 },
  httpBinary: { url: 'http://192.168.77.1:7080/ipxe/binary/', address: ipv4('192.168.77.1') },
  scriptUrl: 'http://192.168.77.1:7080/ipxe/script/auto.ipxe',
  scriptUrlHasMac: true,
  macFormat: 'colon',
  architectureOverrides: new Map(),
  chainloading: 'when-needed',
  bootLocalWhenIdle: true,
};

export const hookSettings: HookScriptSettings = {
  osieUrl: 'http://192.168.77.1:7173',
  syslogHost: '192.168.77.2',
  grpcAuthority: '192.168.77.1:42113',
  tls: false,
  insecureTls: false,
  extraKernelArguments: ['tink_worker_image=example/agent:1'],
  retries: 1,
  retryDelaySeconds: 1,
};

type Spec = NonNullable<Hardware['spec']>;
type Interface = NonNullable<Spec['interfaces']>[number];

/** Undefined removes a field. */
type Changed<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Hardware with one network interface, which has MAC, changed as the test specifies. */
export function hardware(
  change: {
    dhcp?: Changed<NonNullable<Interface['dhcp']>>;
    netboot?: Changed<NonNullable<Interface['netboot']>>;
    networkInterface?: Changed<Interface>;
    spec?: Partial<Spec>;
  } = {},
): Hardware {
  const dhcp = {
    mac: MAC,
    hostname: 'machine1',
    ip: { address: '192.168.77.10', netmask: '255.255.255.0', gateway: '192.168.77.1' },
    ...change.dhcp,
  };
  const netboot = { allowPXE: true, ...change.netboot };
  const made = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine1', namespace: 'default' },
    spec: { interfaces: [{ dhcp, netboot, ...change.networkInterface }], ...change.spec },
  };
  return JSON.parse(JSON.stringify(made)) as Hardware;
}

/** A request as it is received: encoded and decoded. */
export function request(options: DhcpOptions, header: Partial<DhcpPacket> = {}): DhcpPacket {
  const packet: DhcpPacket = {
    ...emptyPacket,
    hops: 1,
    transactionId: 7,
    secondsElapsed: 4,
    hardwareAddress: hexToBytes('02005e100001 00000000000000000000') ?? new Uint8Array(16),
    options,
    ...header,
  };
  const encoded = encodePacket(packet, { maximumMessageBytes: 1500 });
  const decoded = encoded.ok ? decodePacket(encoded.bytes) : encoded;
  if (!decoded.ok) throw new Error(decoded.error.message);
  return decoded.value;
}

const pxe = {
  messageType: 1,
  clientNetworkInterface: { type: 1, major: 2, minor: 1 },
  clientMachineIdentifier: new Uint8Array(17),
} as const;

/** The packets of four kinds of firmware, as captured from QEMU's iPXE and OVMF. */
export const bios: DhcpOptions = {
  ...pxe,
  clientArchitectures: [0],
  vendorClassIdentifier: 'PXEClient:Arch:00000:UNDI:002001',
};
export const uefi: DhcpOptions = {
  ...pxe,
  clientArchitectures: [7],
  vendorClassIdentifier: 'PXEClient:Arch:00007:UNDI:003000',
};
export const uefiHttp: DhcpOptions = {
  ...pxe,
  clientArchitectures: [16],
  vendorClassIdentifier: 'HTTPClient:Arch:00016:UNDI:003000',
};
export const ipxeWithHttp: DhcpOptions = {
  ...bios,
  userClass: { classes: ['iPXE'], lengthPrefixed: false },
  ipxe: [
    { code: 235, bytes: Uint8Array.of(1, 0, 0) },
    { code: 0x13, bytes: Uint8Array.of(1) },
  ],
};
export const ipxeWithoutHttp: DhcpOptions = {
  ...ipxeWithHttp,
  ipxe: [{ code: 0x15, bytes: Uint8Array.of(1) }],
};
export const tinkerbellIpxe: DhcpOptions = {
  ...bios,
  userClass: { classes: ['Tinkerbell'], lengthPrefixed: false },
};
