import type { ReservationResult } from './dhcp/reservation.ts';
import type { NetbootSettings } from './settings.ts';

/**
 * True for a machine that auto-proxy, or a pool that netboots, boots although no Hardware says how. Upstream does so for any failure of the lookup; a
 * Hardware that is broken or exists twice is no unknown machine, and is left alone here.
 */
export function bootsUnknownMachine(
  reservation: ReservationResult,
  { mode, poolNetboot = false }: Pick<NetbootSettings, 'mode' | 'poolNetboot'>,
): boolean {
  if (reservation.ok) return false;
  if (mode === 'reservation') return poolNetboot && reservation.reason === 'no-hardware';
  if (mode !== 'auto-proxy') return false;
  return reservation.reason === 'no-hardware' || reservation.reason === 'no-netboot-data';
}
