import type { SubOption } from '@tinkerbell/dhcp';
import { encodeUtf8 } from '@tinkerbell/wire';
import { RASPBERRY_PI } from '../architecture.ts';
import type { NetbootClient } from './client.ts';

/** PXE 2.1 table 2-1: tag 6 with bit 3 set means "do not discover boot servers, load the boot file". */
const SKIP_DISCOVERY: SubOption = { code: 6, bytes: Uint8Array.of(8) };
/** Upstream's traceparent (version, trace id, span id, flags). All zeros mean that nothing is traced. */
export const NO_TRACE: SubOption = { code: 69, bytes: new Uint8Array(26) };
/** The boot menu and prompt that a Raspberry Pi's ROM requires. */
const RASPBERRY_PI_OPTIONS: readonly SubOption[] = [
  { code: 9, bytes: Uint8Array.of(0, 0, 0x11, ...encodeUtf8('Raspberry Pi Boot')) },
  { code: 10, bytes: Uint8Array.of(0, ...encodeUtf8('PXE')) },
];

/** Upstream's embedded iPXE script reads it as `${43.116:string}`, brings up that VLAN and repeats DHCP there. */
const VLAN_CODE = 116;

/** Returns the VLAN of the machine as text, or nothing for an empty id and for one that is not a number (or list of numbers). */
export function vlanOptionFor(vlanId: string): readonly SubOption[] {
  return /^[\d,]{1,255}$/.test(vlanId) ? [{ code: VLAN_CODE, bytes: encodeUtf8(vlanId) }] : [];
}

/** Returns option 43: load the boot file now, and on a Raspberry Pi the menu that its ROM requires. Sorted by code. */
export function vendorOptionsFor(client: NetbootClient): readonly SubOption[] {
  return client.architecture === RASPBERRY_PI ? [SKIP_DISCOVERY, ...RASPBERRY_PI_OPTIONS] : [SKIP_DISCOVERY];
}
