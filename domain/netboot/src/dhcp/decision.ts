import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { Arrival } from './arrival.ts';
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
  /** How the request reached the server. When absent, it arrived on the DHCP port through an unknown network interface. */
  readonly arrival?: Arrival;
}

export type ReplyDecision =
  | { readonly kind: 'reply'; readonly reply: DhcpPacket }
  /** The client's address comes from a pool, and `poolStepFor` continues. */
  | { readonly kind: 'pool'; readonly pool: AddressPool }
  | { readonly kind: 'ignore'; readonly reason: IgnoreReason; readonly message: string };

/** One way to answer. Undefined means that it declines, and the next one is tried. */
export type ReplyVariant = (input: ReplyInput) => ReplyDecision | undefined;

export function ignore(reason: IgnoreReason, message: string): ReplyDecision {
  return { kind: 'ignore', reason, message };
}
