import type { SubOption } from '@tinkerbell/dhcp';
import { encodeUtf8 } from '@tinkerbell/wire';
import { RASPBERRY_PI } from '../architecture.ts';
import type { NetbootClient } from './client.ts';

/** PXE 2.1 table 2-1: tag 6 with bit 3 set means "do not discover boot servers, load the boot file". */
const SKIP_DISCOVERY: SubOption = { code: 6, bytes: Uint8Array.of(8) };
/** Upstream's traceparent (version, trace id, span id, flags); all zero says that nothing is traced. */
export const NO_TRACE: SubOption = { code: 69, bytes: new Uint8Array(26) };
/** The boot menu and prompt a Raspberry Pi's ROM insists on. */
const RASPBERRY_PI_OPTIONS: readonly SubOption[] = [
  { code: 9, bytes: Uint8Array.of(0, 0, 0x11, ...encodeUtf8('Raspberry Pi Boot')) },
  { code: 10, bytes: Uint8Array.of(0, ...encodeUtf8('PXE')) },
];

/** Read by upstream's embedded iPXE script as `${43.116:string}`: it brings up that VLAN and asks again there. */
const VLAN_CODE = 116;

/** The VLAN of the machine as text; none for an empty id, and for one that is no number (or list of them). */
export function vlanOptionFor(vlanId: string): readonly SubOption[] {
  return /^[\d,]{1,255}$/.test(vlanId) ? [{ code: VLAN_CODE, bytes: encodeUtf8(vlanId) }] : [];
}

/** Option 43: load the boot file now; on a Raspberry Pi with the menu it wants. In ascending order of codes. */
export function vendorOptionsFor(client: NetbootClient): readonly SubOption[] {
  return client.architecture === RASPBERRY_PI ? [SKIP_DISCOVERY, ...RASPBERRY_PI_OPTIONS] : [SKIP_DISCOVERY];
}
