import type { ReservationResult } from './reservation.ts';
import type { NetbootSettings } from './settings.ts';

/**
 * True for a machine that auto-proxy boots although no Hardware says how. Upstream does so for any failure of the lookup; a
 * Hardware that disables DHCP, is broken or exists twice is no unknown machine, and is left alone here.
 */
export function bootsUnknownMachine(
  reservation: ReservationResult,
  { mode }: Pick<NetbootSettings, 'mode'>,
): boolean {
  if (mode !== 'auto-proxy' || reservation.ok) return false;
  return reservation.reason === 'no-hardware' || reservation.reason === 'no-netboot-data';
}
