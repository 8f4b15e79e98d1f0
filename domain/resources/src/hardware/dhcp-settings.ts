import { Type, type Static } from '../schema.ts';
import { MAC_PATTERN } from '../schema/pattern-message.ts';
import { described, int64, optional } from '../schema-builders.ts';

const IPV4 = '((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)';
const VLAN_IDS =
  '^(([0-9][0-9]{0,2}|[1-3][0-9][0-9][0-9]|40([0-8][0-9]|9[0-6]))(,[1-9][0-9]{0,2}|[1-3][0-9][0-9][0-9]|40([0-8][0-9]|9[0-6]))*)$';

const route = Type.Object({
  destination_descriptor: described(
    'Destination network with its prefix length, for example `10.20.0.0/16`.',
    Type.String({ pattern: `^${IPV4}/(3[0-2]|[12]?[0-9])$` }),
  ),
  router: described(
    'IPv4 address of the router to that network, for example `192.168.1.254`.',
    Type.String({ pattern: `^${IPV4}$` }),
  ),
});

const address = Type.Object({
  address: optional(
    'Address assigned to the machine, for example `192.168.1.10`. It must be unique among all Hardware.',
    Type.String(),
  ),
  family: optional('IP version: 4 or 6. For templates. The server derives it from the address.', int64()),
  gateway: optional('Default router (DHCP option 3), for example `192.168.1.1`.', Type.String()),
  netmask: optional('Netmask (DHCP option 1), for example `255.255.255.0`.', Type.String()),
});

export const DhcpSettings = Type.Object(
  {
    arch: optional(
      'Architecture of the in-memory OS to boot, for example `aarch64`. Default: `x86_64`.',
      Type.String(),
    ),
    boot_file_name: optional(
      'Boot file name (DHCP option 67). Together with `tftp_server_name`, it replaces all netboot options of the server.',
      Type.String(),
    ),
    classless_static_routes: optional(
      'Static routes (DHCP option 121). The server adds the default route through `ip.gateway`.',
      Type.Array(route),
    ),
    domain_name: optional(
      'DNS domain (DHCP option 15), also sent as search domain (option 119), for example `lab.example.com`.',
      Type.String(),
    ),
    hostname: optional('Host name of the machine (DHCP option 12).', Type.String()),
    iface_name: optional(
      "Name of the interface in the installed OS, for example `eno1`. Sent in cloud-init's network configuration.",
      Type.String(),
    ),
    ip: optional('Reserved address of the interface.', address),
    lease_time: optional(
      'Lease duration in seconds (DHCP option 51). Default: 604800 (seven days).',
      int64(),
    ),
    mac: optional(
      'MAC address in lower case with colons, for example `52:54:00:12:34:56`. It must be unique among all Hardware.',
      Type.String({ pattern: MAC_PATTERN }),
    ),
    name_servers: optional(
      'Addresses of DNS servers (DHCP option 6; DHCPv6 option 23 for IPv6).',
      Type.Array(Type.String()),
    ),
    tftp_server_name: optional(
      'TFTP server name or address (DHCP option 66). Set both this field and `boot_file_name`, or neither.',
      Type.String(),
    ),
    time_servers: optional('IPv4 addresses of NTP servers (DHCP option 42).', Type.Array(Type.String())),
    uefi: optional(
      'Boots the machine in UEFI mode. Applies when a BMC sets the boot device. Default: false (BIOS).',
      Type.Boolean(),
    ),
    vlan_id: optional(
      'VLAN ID, or a comma-separated list, for example `100,200`. Sent to iPXE (DHCP option 43.116) and the in-memory OS, and configured by cloud-init.',
      Type.String({ pattern: VLAN_IDS }),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'TFTPServerName and BootFileName must both be specified or both be empty',
        rule: '(has(self.tftp_server_name) && self.tftp_server_name != "") == (has(self.boot_file_name) && self.boot_file_name != "")',
      },
    ],
  },
);
export type DhcpSettings = Static<typeof DhcpSettings>;
