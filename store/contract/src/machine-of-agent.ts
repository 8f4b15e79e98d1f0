import type { Hardware } from '@tinkerbell/resources';
import type { View } from './view.ts';

/** The machine on which an agent of that id runs: by `spec.agentID`, else by a MAC. Undefined when no Hardware names it. */
export function machineOfAgent(
  view: Pick<View, 'hardwareByAgent' | 'hardwareByMac'>,
  agentId: string,
): Hardware | undefined {
  return view.hardwareByAgent(agentId)[0] ?? view.hardwareByMac(agentId)[0];
}
