import { Type, type Static } from '../schema.ts';
import { described, oneOf, optional } from '../schema-builders.ts';

const DEVICES = '`pxe`, `disk`, `bios`, `cdrom` or `safe`';

export const BmcAction = Type.Object(
  {
    bootDevice: optional(
      'Sets the device that the machine boots from.',
      Type.Object({
        device: optional(`Boot device: ${DEVICES}, or \`http\` with \`httpBootURL\`.`, Type.String()),
        efiBoot: optional('Boots in UEFI mode instead of BIOS mode. Default: false.', Type.Boolean()),
        httpBootURL: optional(
          'URL that UEFI firmware boots from with the device `http`, for example `http://192.168.56.4:7080/ipxe/binary/ipxe.efi`. Needs Redfish.',
          Type.String(),
        ),
        persistent: optional(
          'Keeps the setting for every boot. Default: false, for the next boot only.',
          Type.Boolean(),
        ),
      }),
    ),
    oneTimeBootDeviceAction: optional(
      'Deprecated: use `bootDevice`. Sets the device for the next boot only.',
      Type.Object({
        device: described(`Boot devices: ${DEVICES}. Only the first one is used.`, Type.Array(Type.String())),
        efiBoot: optional('Boots in UEFI mode instead of BIOS mode. Default: false.', Type.Boolean()),
      }),
    ),
    powerAction: optional(
      'Power operation. `off` cuts the power, `soft` asks the OS to shut down, `status` only reads the state.',
      oneOf(['on', 'off', 'soft', 'status', 'cycle', 'reset']),
    ),
    virtualMediaAction: optional(
      'Inserts an image into a virtual drive of the BMC, or ejects it.',
      Type.Object({
        kind: described('Kind of virtual drive. Only `CD` is supported.', Type.String()),
        mediaURL: optional(
          'URL of the image to insert. If it is empty or absent, the BMC ejects the image.',
          Type.String(),
        ),
      }),
    ),
  },
  { maxProperties: 1 },
);
export type BmcAction = Static<typeof BmcAction>;
