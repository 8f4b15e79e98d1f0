import type { Hardware } from '../kinds.ts';

/**
 * Returns the MAC under which a machine's timeline is kept: that of its first network interface that has one.
 */
export function primaryMacOf(hardware: Hardware | undefined): string | undefined {
  return hardware?.spec?.interfaces?.find((one) => one.dhcp?.mac)?.dhcp?.mac;
}
