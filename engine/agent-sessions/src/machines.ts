/** Finds the machines that an agent id names. */
import type { Hardware } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';

/** Returns all candidates. There is more than one only where Hardware objects contradict each other. */
export function machinesOfAgent(view: View, agentId: string): readonly Hardware[] {
  if (agentId === '') return [];
  const mac = parseMac(agentId);
  const byMac = mac === undefined ? [] : view.hardwareByMac(mac);
  return byMac.length > 0 ? byMac : view.hardwareByAgent(agentId);
}

/** Returns the one Hardware with a network interface that has the MAC. */
export function machineWithMac(view: View, mac: Mac): Hardware | undefined {
  const [only, ...others] = view.hardwareByMac(mac);
  return others.length === 0 ? only : undefined;
}

/** Returns the agent id of a machine that booted from this MAC, in the form that boot scripts use. */
export function isAgentOf(hardware: Hardware, mac: Mac, agentId: string): boolean {
  const own = hardware.spec?.agentID ?? '';
  return own === '' ? parseMac(agentId) === mac : own === agentId;
}
