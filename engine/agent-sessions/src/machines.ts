/** Whose machines an agent id is the name of. */
import type { Hardware } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';

/** All that it may be: more than one only where Hardware contradicts itself. */
export function machinesOfAgent(view: View, agentId: string): readonly Hardware[] {
  if (agentId === '') return [];
  const mac = parseMac(agentId);
  const byMac = mac === undefined ? [] : view.hardwareByMac(mac);
  return byMac.length > 0 ? byMac : view.hardwareByAgent(agentId);
}

/** The one Hardware with a network interface of that MAC. */
export function machineWithMac(view: View, mac: Mac): Hardware | undefined {
  const [only, ...others] = view.hardwareByMac(mac);
  return others.length === 0 ? only : undefined;
}

/** The agent of a machine that has booted from this MAC, as boot scripts name it. */
export function isAgentOf(hardware: Hardware, mac: Mac, agentId: string): boolean {
  const own = hardware.spec?.agentID ?? '';
  return own === '' ? parseMac(agentId) === mac : own === agentId;
}
