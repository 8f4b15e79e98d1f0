import {
  macOfDuid,
  macOfLinkLocal,
  optionTable,
  type Dhcpv6Message,
  type Dhcpv6Options,
  type RelayEnvelope,
  type VendorClass,
} from '@tinkerbell/dhcpv6';
import { decodeUtf8, macFromBytes, type Ipv6, type Mac } from '@tinkerbell/wire';
import { architectureOf } from '../architecture.ts';
import { userClassOf, type NetbootClient } from '../dhcp/client.ts';

/** A DHCPv6 message and how it reached the server. */
export interface V6Question {
  readonly message: Dhcpv6Message;
  /** Ordered from the relay next to the server to the one next to the client. Empty without relays. */
  readonly envelopes: readonly RelayEnvelope[];
  /** The sender of the datagram. */
  readonly sender: Ipv6 | undefined;
}

const ETHERNET = 1;

/**
 * Returns the MACs that the client may have, the most reliable first: of its DUID, from the relay next to it (RFC 6939), of its
 * link-local address. A DUID may belong to another network interface of the same machine, or be a UUID. A link-local address may
 * be random. Empty when none of them contains a MAC.
 */
export function v6MacsOf({ message, envelopes, sender }: V6Question): readonly Mac[] {
  const { clientIdentifier } = message.options;
  const relay = envelopes.at(-1);
  const linkLayer = relay?.options.clientLinkLayerAddress;
  const linkLocal = relay === undefined ? sender : relay.peerAddress;
  const candidates = [
    clientIdentifier === undefined ? undefined : macOfDuid(clientIdentifier),
    linkLayer?.hardwareType === ETHERNET ? macFromBytes(linkLayer.address) : undefined,
    linkLocal === undefined ? undefined : macOfLinkLocal(linkLocal),
  ];
  return [...new Set(candidates.filter((mac) => mac !== undefined))];
}

/**
 * Returns the sender of a message, as far as booting is concerned. iPXE does not send its features by DHCPv6. HTTP is assumed,
 * because every file that it could load here is served by HTTP.
 */
export function classifyV6Client({ options }: Dhcpv6Message, mac: Mac | undefined): NetbootClient {
  const vendorClass = vendorClassText(options.vendorClass);
  const userClass = userClassOf((options.userClass ?? []).map(decodeUtf8));
  const isIpxe = userClass !== 'other';
  const isNetbootClient = isIpxe || /^(?:PXE|HTTP)Client/.test(vendorClass) || asksForBootFile(options);
  const loadsBy = vendorClass.startsWith('PXEClient') && !isIpxe ? 'pxe' : 'http';
  return {
    mac,
    isNetbootClient,
    protocol: isNetbootClient ? loadsBy : undefined,
    userClass,
    isIpxe,
    ipxe: { features: new Set(isIpxe ? ['http'] : []) },
    architecture: architectureOf(options.clientArchitectures ?? [], mac),
  };
}

function asksForBootFile({ clientArchitectures, optionRequest = [] }: Dhcpv6Options): boolean {
  return clientArchitectures !== undefined || optionRequest.includes(optionTable.bootFileUrl.code);
}

/** UEFI firmware sends `HTTPClient:Arch:00016:…` under Intel's enterprise number 343. edk2 checks the text only. */
export function vendorClassText(vendorClass: VendorClass | undefined): string {
  return decodeUtf8(vendorClass?.data[0] ?? new Uint8Array()) ?? '';
}
