import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import { netmaskOf, type Ipv4, type Mac } from '@tinkerbell/wire';
import type { ReplyInput } from './decision.ts';
import type { AddressPool } from './pool.ts';
import { reservationReply } from './reservation-reply.ts';
import type { Reservation } from './reservation.ts';
import type { NetbootSettings } from '../settings.ts';

export type PoolReplyKind = 'offer' | 'acknowledge';

export interface PoolReplyInput extends Omit<ReplyInput, 'reservation' | 'arrival'> {
  readonly mac: Mac;
  readonly pool: AddressPool;
  /** Absent in the answer to INFORM. */
  readonly address: Ipv4 | undefined;
  /** The reservation of a machine whose Hardware names no address. The machine boots as the Hardware specifies. */
  readonly known: Reservation | undefined;
}

/**
 * Builds the reply with an address of a pool. A known machine gets the other settings of its Hardware. An unknown machine gets
 * the settings of the network, and boot settings only when `poolNetboot` is set.
 */
export function poolReply(input: PoolReplyInput, kind: PoolReplyKind): DhcpPacket {
  const { request, client, known, settings } = input;
  const type = kind === 'offer' ? messageType.offer : messageType.acknowledge;
  const reservation = { ...(known ?? unknownMachine(input)), ...networkOf(input) };
  return reservationReply({ request, client, settings: settingsFor(known, settings) }, reservation, type);
}

function settingsFor(known: Reservation | undefined, settings: NetbootSettings): NetbootSettings {
  const mayBoot = known !== undefined || settings.poolNetboot === true;
  return mayBoot ? settings : { ...settings, netbootOptionsEnabled: false };
}

function networkOf({ pool, address, known }: PoolReplyInput) {
  const { gateway, nameServers, leaseTimeSeconds, prefixLength } = pool;
  return {
    ...(address === undefined ? {} : { address }),
    netmask: netmaskOf(prefixLength),
    ...(gateway === undefined ? {} : { gateway }),
    nameServers: known === undefined || known.nameServers.length === 0 ? nameServers : known.nameServers,
    leaseTimeSeconds,
  };
}

function unknownMachine({ mac }: PoolReplyInput): Reservation {
  return {
    mac,
    namespace: '',
    hardwareName: '',
    path: '',
    isDhcpDisabled: false,
    nameServers: [],
    timeServers: [],
    hostName: '',
    domainName: '',
    leaseTimeSeconds: 0,
    routes: [],
    tftpServerName: '',
    bootFileName: '',
    architecture: '',
    vlanId: '',
    facility: '',
    agentId: mac,
    mayNetboot: true,
    isRescue: false,
    ipxe: {},
    osie: {},
    pxelinuxConfig: '',
  };
}
