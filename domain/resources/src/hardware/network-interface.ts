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
    'Ignores DHCP requests of this interface. The server still serves boot scripts and files.',
    Type.Boolean({ default: false }),
  ),
  isoboot: optional(
    'Boot from an ISO image in a virtual drive of the BMC.',
    Type.Object({
      sourceISO: optional(
        "URL (http or https) of the ISO image that the server patches and serves for this machine. Default: the server's own image.",
        uri(),
      ),
    }),
  ),
  netboot: optional(
    'Netboot settings of the interface. The server answers DHCP only if `dhcp` and `netboot` are both set.',
    NetbootSettings,
  ),
});
export type NetworkInterface = Static<typeof NetworkInterface>;
