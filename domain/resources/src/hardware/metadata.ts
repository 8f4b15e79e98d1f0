import { Type, type Static } from '../schema.ts';
import { Storage } from './storage.ts';
import { OperatingSystem } from './operating-system.ts';
import { document, int64, optional } from '../schema-builders.ts';

const address = Type.Object({
  address: optional('IP address, for example `192.168.1.10`.', Type.String()),
  family: optional('IP version: 4 or 6.', int64()),
  gateway: optional('Default router. For templates.', Type.String()),
  management: optional('Marks the address as one for management traffic. For templates.', Type.Boolean()),
  netmask: optional('Netmask, for example `255.255.255.0`. For templates.', Type.String()),
  public: optional(
    'Marks the address as public. It is returned as `public-ipv4`, not as `local-ipv4`. Default: false.',
    Type.Boolean(),
  ),
});

export const Instance = Type.Object({
  allow_pxe: optional(
    'For templates. To allow netboot, set `spec.interfaces[].netboot.allowPXE`.',
    Type.Boolean(),
  ),
  always_pxe: optional('Boot from the network every time. For templates.', Type.Boolean()),
  crypted_root_password: optional(
    'Hash of the root password in crypt(3) format. For templates.',
    Type.String(),
  ),
  hostname: optional('Host name that the metadata service returns, for example `node1`.', Type.String()),
  id: optional(
    'Instance ID that the metadata service returns. cloud-init runs again when it changes.',
    Type.String(),
  ),
  ips: optional(
    'Addresses that the metadata service returns. DHCP reads `spec.interfaces[].dhcp.ip` instead.',
    Type.Array(address),
  ),
  ipxe_script_url: optional('For templates. iPXE reads `spec.interfaces[].netboot.ipxe.url`.', Type.String()),
  network_ready: optional('Whether the network of the machine is set up. For templates.', Type.Boolean()),
  operating_system: optional('The OS to install, as the metadata service returns it.', OperatingSystem),
  rescue: optional('Boot into a rescue system. For templates.', Type.Boolean()),
  ssh_keys: optional(
    'Public SSH keys for logins, in `authorized_keys` format. The metadata service returns them.',
    Type.Array(Type.String()),
  ),
  state: optional('State of the instance, as free text. For templates.', Type.String()),
  storage: optional('Partitions and filesystems to create, read by the `rootio` action.', Storage),
  tags: optional('Custom labels. The metadata service returns one per line.', Type.Array(Type.String())),
  userdata: optional('For templates. The metadata service returns `spec.userData`.', document()),
});
export type Instance = Static<typeof Instance>;

const custom = Type.Object({
  preinstalled_operating_system_version: optional(
    'The OS that the machine was delivered with. For templates.',
    OperatingSystem,
  ),
  private_subnets: optional(
    'Private networks of the machine, for example `10.0.0.0/8`. For templates.',
    Type.Array(Type.String()),
  ),
});

const facility = Type.Object({
  facility_code: optional(
    'Name of the site, for example `ams1`. Returned as `facility` and availability zone, and passed as a kernel argument.',
    Type.String(),
  ),
  plan_slug: optional('Type of the machine, for example `c3.small`. Returned as `plan`.', Type.String()),
  plan_version_slug: optional('Version of the machine type. For templates.', Type.String()),
});

export const HardwareMetadata = Type.Object({
  bonding_mode: optional(
    "Linux bonding mode by number, 0 to 6, for example 4 for 802.3ad. Bonds all interfaces in cloud-init's network configuration.",
    int64(),
  ),
  custom: optional('Details of the site. For templates.', custom),
  facility: optional('Location and type of the machine.', facility),
  instance: optional('Target configuration of the machine: host name, keys, disks.', Instance),
  manufacturer: optional(
    'Manufacturer of the machine. For templates.',
    Type.Object({
      id: optional('ID of the manufacturer in your inventory.', Type.String()),
      slug: optional('Short name of the manufacturer, for example `dell`.', Type.String()),
    }),
  ),
  state: optional('State of the machine, as free text. For templates.', Type.String()),
});
export type HardwareMetadata = Static<typeof HardwareMetadata>;
