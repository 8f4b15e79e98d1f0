import type { Hardware } from '../kinds.ts';
import { primaryMacOf } from './primary-mac.ts';

/** Returns the id under which the agent of the machine connects: `spec.agentID`, or else its first MAC. */
export function agentIdOf(hardware: Hardware | undefined): string | undefined {
  return hardware?.spec?.agentID || primaryMacOf(hardware);
}
