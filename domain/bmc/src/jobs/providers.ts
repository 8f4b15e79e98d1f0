/** Which drivers control a BMC, and in which order (upstream rufio and bmclib). */
import type { Connection } from '@tinkerbell/resources';

/** The names of `spec.connection.providerOptions.preferredOrder`, as upstream spells them, and the two that have options only. */
export type ProviderName = 'ipmitool' | 'gofish' | 'intelamt' | 'rpc' | 'homeassistant';

/** The drivers of bmclib in its default order, each with the driver here that speaks its protocol. */
const drivers: readonly (readonly [name: string, provider: ProviderName | undefined])[] = [
  ['ipmitool', 'ipmitool'],
  // The web interface of ASRockRack has no documentation. Its BMCs have IPMI and Redfish as well.
  ['asrockrack', undefined],
  ['gofish', 'gofish'],
  ['intelamt', 'intelamt'],
  // Redfish with the differences of the vendor, which the Redfish driver knows.
  ['dell', 'gofish'],
  ['supermicro', 'gofish'],
  ['openbmc', 'gofish'],
];

/** The options of RPC and of Home Assistant choose that driver alone, since neither has a protocol to fall back to. */
export function providersFor({ providerOptions = {} }: Connection): readonly ProviderName[] {
  if (providerOptions.rpc !== undefined) return ['rpc'];
  if (providerOptions.homeassistant !== undefined) return ['homeassistant'];
  const preferred = (providerOptions.preferredOrder ?? []).map((name) => name.toLowerCase());
  const names = [...preferred, ...drivers.map(([name]) => name)];
  const found = names.flatMap((name) => drivers.find(([known]) => known === name)?.[1] ?? []);
  return [...new Set(found)];
}
