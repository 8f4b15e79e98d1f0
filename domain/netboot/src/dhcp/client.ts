import { clientMacOf, messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import { ipxeFeaturesOf, type IpxeFeatures } from '@tinkerbell/ipxe';
import type { Mac } from '@tinkerbell/wire';
import { architectureOf } from '../architecture.ts';

/** The sender of a DHCP packet, as far as booting is concerned. */
export interface NetbootClient {
  readonly mac: Mac | undefined;
  /** True for firmware and iPXE. False for an operating system that requests its address. */
  readonly isNetbootClient: boolean;
  /** The way it loads files: PXE by TFTP, UEFI HTTP boot by HTTP. Undefined when it does not netboot. */
  readonly protocol: 'pxe' | 'http' | undefined;
  /** `tinkerbell` is an iPXE built with upstream's embedded script. */
  readonly userClass: 'tinkerbell' | 'ipxe' | 'other';
  readonly isIpxe: boolean;
  readonly ipxe: IpxeFeatures;
  /** The first known value of option 93. It is 41 for a Raspberry Pi, and 255 when none is known. */
  readonly architecture: number;
}

/** Never fails. A packet with missing or odd options is not from a netboot client. */
export function classifyClient(packet: DhcpPacket): NetbootClient {
  const { options } = packet;
  const mac = clientMacOf(packet);
  const vendorClass = options.vendorClassIdentifier ?? '';
  const isNetbootClient = isNetbootRequest(packet);
  const userClass = userClassOf(options.userClass?.classes ?? []);
  return {
    mac,
    isNetbootClient,
    protocol: isNetbootClient ? protocolOf(vendorClass) : undefined,
    userClass,
    isIpxe: userClass !== 'other' || options.ipxe !== undefined,
    ipxe: ipxeFeaturesOf(options.ipxe ?? []),
    architecture: architectureOf(options.clientArchitectures ?? [], mac),
  };
}

function protocolOf(vendorClass: string): NonNullable<NetbootClient['protocol']> {
  return vendorClass.startsWith('HTTPClient') ? 'http' : 'pxe';
}

/**
 * Upstream's test: DISCOVER or REQUEST, options 60, 93 and 94, and a well-formed 97. RFC 4578 requires 97 of PXE clients too, but
 * U-Boot does not send it.
 */
function isNetbootRequest({ options }: DhcpPacket): boolean {
  const type = options.messageType;
  const isAsking = type === messageType.discover || type === messageType.request;
  const vendorClass = options.vendorClassIdentifier ?? '';
  const identifier = options.clientMachineIdentifier;
  return (
    isAsking &&
    /^(?:PXE|HTTP)Client/.test(vendorClass) &&
    options.clientArchitectures !== undefined &&
    options.clientNetworkInterface !== undefined &&
    (identifier === undefined || identifier.length === 0 || (identifier.length === 17 && identifier[0] === 0))
  );
}

export function userClassOf(classes: readonly (string | undefined)[]): NetbootClient['userClass'] {
  if (classes.includes('Tinkerbell')) return 'tinkerbell';
  return classes.includes('iPXE') ? 'ipxe' : 'other';
}
