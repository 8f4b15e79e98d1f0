import { IPV4_ANY, macFromBytes, type Ipv4, type Mac } from '@tinkerbell/wire';
import type { DhcpOptions } from './option-table.ts';

/** A DHCPv4 message, RFC 2131 section 2. Times in seconds, addresses in dotted decimal. */
export interface DhcpPacket {
  readonly op: 'request' | 'reply';
  /** The ARP hardware type. 1 is Ethernet. */
  readonly hardwareType: number;
  /** Significant bytes of `hardwareAddress`, 0 to 16. */
  readonly hardwareLength: number;
  readonly hops: number;
  readonly transactionId: number;
  readonly secondsElapsed: number;
  /** The only defined flag: the client cannot receive unicast before it is configured. */
  readonly broadcast: boolean;
  readonly ciaddr: Ipv4;
  readonly yiaddr: Ipv4;
  readonly siaddr: Ipv4;
  readonly giaddr: Ipv4;
  /** All 16 bytes of chaddr. */
  readonly hardwareAddress: Uint8Array;
  /** This header field is empty when it carries options. */
  readonly serverName: string;
  /** This header field is empty when it carries options. */
  readonly bootFile: string;
  readonly options: DhcpOptions;
}

/** A minimal request of an Ethernet client: every field is zero or empty. */
export const emptyPacket: DhcpPacket = {
  op: 'request',
  hardwareType: 1,
  hardwareLength: 6,
  hops: 0,
  transactionId: 0,
  secondsElapsed: 0,
  broadcast: false,
  ciaddr: IPV4_ANY,
  yiaddr: IPV4_ANY,
  siaddr: IPV4_ANY,
  giaddr: IPV4_ANY,
  hardwareAddress: new Uint8Array(16),
  serverName: '',
  bootFile: '',
  options: {},
};

/** Values of option 53, RFC 2132 section 9.6. */
export const messageType = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  acknowledge: 5,
  refuse: 6,
  release: 7,
  inform: 8,
} as const;

export const HARDWARE_ADDRESS_BYTES = 16;
/** ARP hardware types whose addresses are 48-bit MACs: Ethernet and IEEE 802. */
const MAC_HARDWARE_TYPES: readonly number[] = [1, 6];

/**
 * Returns the client's MAC, or undefined when the header does not contain one: another hardware type (IPoIB sends length 0, RFC
 * 4390), a length other than six, all zeros.
 */
export function clientMacOf(packet: DhcpPacket): Mac | undefined {
  if (!MAC_HARDWARE_TYPES.includes(packet.hardwareType) || packet.hardwareLength !== 6) return undefined;
  const address = macFromBytes(packet.hardwareAddress);
  return address === '00:00:00:00:00:00' ? undefined : address;
}
