import type { ReservationResult } from './dhcp/reservation.ts';
import type { NetbootSettings } from './settings.ts';

/**
 * Returns true for a machine that auto-proxy, or a pool that netboots, boots although no Hardware describes it. Upstream does so
 * for any failure of the lookup. Here, a machine whose Hardware is invalid or duplicated is not unknown, and is ignored.
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
