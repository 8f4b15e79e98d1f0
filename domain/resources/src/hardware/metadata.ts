import { Type, type Static } from '../schema.ts';
import { Storage } from './storage.ts';
import { document, int64 } from '../schema-builders.ts';

export const OperatingSystem = Type.Object({
  distro: Type.Optional(Type.String()),
  image_tag: Type.Optional(Type.String()),
  os_slug: Type.Optional(Type.String()),
  slug: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
});
export type OperatingSystem = Static<typeof OperatingSystem>;

export const Instance = Type.Object({
  allow_pxe: Type.Optional(Type.Boolean()),
  always_pxe: Type.Optional(Type.Boolean()),
  crypted_root_password: Type.Optional(Type.String()),
  hostname: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  ips: Type.Optional(
    Type.Array(
      Type.Object({
        address: Type.Optional(Type.String()),
        family: Type.Optional(int64()),
        gateway: Type.Optional(Type.String()),
        management: Type.Optional(Type.Boolean()),
        netmask: Type.Optional(Type.String()),
        public: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  ipxe_script_url: Type.Optional(Type.String()),
  network_ready: Type.Optional(Type.Boolean()),
  operating_system: Type.Optional(OperatingSystem),
  rescue: Type.Optional(Type.Boolean()),
  ssh_keys: Type.Optional(Type.Array(Type.String())),
  state: Type.Optional(Type.String()),
  storage: Type.Optional(Storage),
  tags: Type.Optional(Type.Array(Type.String())),
  userdata: Type.Optional(document()),
});
export type Instance = Static<typeof Instance>;

export const HardwareMetadata = Type.Object({
  bonding_mode: Type.Optional(int64()),
  custom: Type.Optional(
    Type.Object({
      preinstalled_operating_system_version: Type.Optional(
        Type.Object({
          distro: Type.Optional(Type.String()),
          image_tag: Type.Optional(Type.String()),
          os_slug: Type.Optional(Type.String()),
          slug: Type.Optional(Type.String()),
          version: Type.Optional(Type.String()),
        }),
      ),
      private_subnets: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  facility: Type.Optional(
    Type.Object({
      facility_code: Type.Optional(Type.String()),
      plan_slug: Type.Optional(Type.String()),
      plan_version_slug: Type.Optional(Type.String()),
    }),
  ),
  instance: Type.Optional(Instance),
  manufacturer: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      slug: Type.Optional(Type.String()),
    }),
  ),
  state: Type.Optional(Type.String()),
});
export type HardwareMetadata = Static<typeof HardwareMetadata>;
