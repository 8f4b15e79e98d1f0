import { Type, type Static } from '../schema.ts';
import { MAC_PATTERN } from '../schema/pattern-message.ts';
import { document, int64, uri } from '../schema-builders.ts';

export const DhcpSettings = Type.Object(
  {
    arch: Type.Optional(Type.String()),
    boot_file_name: Type.Optional(Type.String()),
    classless_static_routes: Type.Optional(
      Type.Array(
        Type.Object({
          destination_descriptor: Type.String({
            pattern:
              '^((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)/(3[0-2]|[12]?[0-9])$',
          }),
          router: Type.String({
            pattern: '^((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$',
          }),
        }),
      ),
    ),
    domain_name: Type.Optional(Type.String()),
    hostname: Type.Optional(Type.String()),
    iface_name: Type.Optional(Type.String()),
    ip: Type.Optional(
      Type.Object({
        address: Type.Optional(Type.String()),
        family: Type.Optional(int64()),
        gateway: Type.Optional(Type.String()),
        netmask: Type.Optional(Type.String()),
      }),
    ),
    lease_time: Type.Optional(int64()),
    mac: Type.Optional(Type.String({ pattern: MAC_PATTERN })),
    name_servers: Type.Optional(Type.Array(Type.String())),
    tftp_server_name: Type.Optional(Type.String()),
    time_servers: Type.Optional(Type.Array(Type.String())),
    uefi: Type.Optional(Type.Boolean()),
    vlan_id: Type.Optional(
      Type.String({
        pattern:
          '^(([0-9][0-9]{0,2}|[1-3][0-9][0-9][0-9]|40([0-8][0-9]|9[0-6]))(,[1-9][0-9]{0,2}|[1-3][0-9][0-9][0-9]|40([0-8][0-9]|9[0-6]))*)$',
      }),
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

export const NetbootSettings = Type.Object({
  allowPXE: Type.Optional(Type.Boolean()),
  allowWorkflow: Type.Optional(Type.Boolean()),
  ipxe: Type.Optional(
    Type.Object({
      binary: Type.Optional(Type.String()),
      contents: Type.Optional(document()),
      url: Type.Optional(Type.String()),
    }),
  ),
  osie: Type.Optional(
    Type.Object({
      baseURL: Type.Optional(Type.String()),
      initrd: Type.Optional(Type.String()),
      kernel: Type.Optional(Type.String()),
      kernelParams: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  pxelinux: Type.Optional(
    Type.Object({
      config: Type.Optional(document()),
    }),
  ),
  rpi: Type.Optional(
    Type.Object({
      configTxt: Type.Optional(document()),
      firmwarePath: Type.Optional(Type.String()),
      serialNum: Type.String(),
    }),
  ),
});
export type NetbootSettings = Static<typeof NetbootSettings>;

export const NetworkInterface = Type.Object({
  dhcp: Type.Optional(DhcpSettings),
  disableDhcp: Type.Optional(Type.Boolean({ default: false })),
  isoboot: Type.Optional(
    Type.Object({
      sourceISO: Type.Optional(uri()),
    }),
  ),
  netboot: Type.Optional(NetbootSettings),
});
export type NetworkInterface = Static<typeof NetworkInterface>;
