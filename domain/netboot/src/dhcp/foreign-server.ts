import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import { IPV4_ANY, type Ipv4 } from '@tinkerbell/wire';
import type { NetbootSettings } from '../settings.ts';

/** Another DHCP server in a network that this server serves. */
export interface ForeignServer {
  readonly address: Ipv4;
  readonly kind: 'addresses' | 'booting';
  /** True when this is expected: a proxy runs because another server assigns the addresses. */
  readonly isExpected: boolean;
  readonly message: string;
}

/**
 * Returns the other DHCP server that a packet reveals: the sender of an OFFER or ACK, or the server that a client's REQUEST
 * names. Returns undefined when the packet reveals no server, or only this one. A boot file counts as booting with and without
 * option 60, because firmware accepts both.
 */
export function foreignServerOf(
  packet: DhcpPacket,
  settings: Pick<NetbootSettings, 'mode' | 'serverAddress'>,
): ForeignServer | undefined {
  const { serverIdentifier: address } = packet.options;
  if (address === undefined || address === IPV4_ANY || address === settings.serverAddress) return undefined;
  const told = packet.op === 'request' ? chosen(packet, address) : offered(packet, address);
  if (told === undefined) return undefined;
  return { address, ...told, isExpected: told.kind === 'addresses' && settings.mode !== 'reservation' };
}

type Told = Pick<ForeignServer, 'kind' | 'message'>;

function chosen({ options }: DhcpPacket, address: Ipv4): Told | undefined {
  if (options.messageType !== messageType.request) return undefined;
  return { kind: 'addresses', message: `addresses come from ${address} too: the machine chose that server` };
}

function offered({ options, bootFile, yiaddr }: DhcpPacket, address: Ipv4): Told | undefined {
  const type = options.messageType;
  if (type !== messageType.offer && type !== messageType.acknowledge) return undefined;
  const file = bootFile || options.bootFileName || undefined;
  const isPxe = /^(PXE|HTTP)Client/.test(options.vendorClassIdentifier ?? '');
  if (file !== undefined || isPxe) {
    const what = file === undefined ? 'announces that it boots machines' : `boots machines with ${file}`;
    return { kind: 'booting', message: `${address} ${what}: machines may boot from there` };
  }
  if (yiaddr === IPV4_ANY) return undefined;
  return { kind: 'addresses', message: `addresses come from ${address}: it offers ${yiaddr}` };
}
