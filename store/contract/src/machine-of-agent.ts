import type { Hardware } from '@tinkerbell/resources';
import type { View } from './view.ts';

/**
 * Returns the machine on which the agent with that id runs, by `spec.agentID`, or else by a MAC. Returns undefined when no
 * Hardware names it.
 */
export function machineOfAgent(
  view: Pick<View, 'hardwareByAgent' | 'hardwareByMac'>,
  agentId: string,
): Hardware | undefined {
  return view.hardwareByAgent(agentId)[0] ?? view.hardwareByMac(agentId)[0];
}
