import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { Ipv4 } from '@tinkerbell/wire';
import type { NetbootClient } from './client.ts';
import type { AddressPool } from './pool.ts';
import type { IgnoreReason } from './reasons.ts';
import type { ReservationResult } from './reservation.ts';
import type { NetbootSettings } from '../settings.ts';

export interface ReplyInput {
  readonly request: DhcpPacket;
  readonly client: NetbootClient;
  readonly reservation: ReservationResult;
  readonly settings: NetbootSettings;
  /** How the request reached us. Absent: on the DHCP port, through an unknown network interface. */
  readonly arrival?: Arrival;
}

export interface Arrival {
  /** `boot-server`: UDP 4011, where PXE clients that have their address ask for the boot file (PXE 2.1 section 2.2). */
  readonly port: 'dhcp' | 'boot-server';
  /** Our addresses on the network interface it came in on; empty when that is unknown. */
  readonly localAddresses: readonly Ipv4[];
}

export type ReplyDecision =
  | { readonly kind: 'reply'; readonly reply: DhcpPacket }
  /** The client's address comes from a pool: `poolStepFor` goes on. */
  | { readonly kind: 'pool'; readonly pool: AddressPool }
  | { readonly kind: 'ignore'; readonly reason: IgnoreReason; readonly message: string };

/** One way to answer. Undefined declines: the next one is asked. */
export type ReplyVariant = (input: ReplyInput) => ReplyDecision | undefined;

export function ignore(reason: IgnoreReason, message: string): ReplyDecision {
  return { kind: 'ignore', reason, message };
}
