import { Type, type Static } from '../schema.ts';
import { optional, uri } from '../schema-builders.ts';
import { DhcpSettings } from './dhcp-settings.ts';
import { NetbootSettings } from './netboot-settings.ts';

export const NetworkInterface = Type.Object({
  dhcp: optional(
    'Addresses and options for DHCP replies. `dhcp.mac` identifies the interface.',
    DhcpSettings,
  ),
  disableDhcp: optional(
    'Leaves DHCP requests of this interface unanswered. Boot scripts and files are still served.',
    Type.Boolean({ default: false }),
  ),
  isoboot: optional(
    'Boot from an ISO image in a virtual drive of the BMC.',
    Type.Object({
      sourceISO: optional(
        "ISO image that is patched and served for this machine, an http or https URL. Default: the server's own image.",
        uri(),
      ),
    }),
  ),
  netboot: optional(
    'What the interface may boot, and from where. DHCP is answered only if `dhcp` and `netboot` are both set.',
    NetbootSettings,
  ),
});
export type NetworkInterface = Static<typeof NetworkInterface>;
