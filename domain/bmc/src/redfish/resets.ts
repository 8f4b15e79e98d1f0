import type { PowerOperation } from '../machine-state.ts';
import type { RedfishVendor, ResetType } from './vendors.ts';

/**
 * Returns the resets that perform an operation, in order. Between two of them the caller waits until the first has its effect.
 * Undefined: the service allows none. A service that does not list what it allows gets the usual ones.
 */
export function resetsFor(
  { power }: RedfishVendor,
  operation: PowerOperation,
  allowed: readonly string[] | undefined,
): readonly ResetType[] | undefined {
  if (allowed === undefined || allowed.length === 0) return power[operation][0];
  return power[operation].find((sequence) => sequence.every((reset) => allowed.includes(reset)));
}
