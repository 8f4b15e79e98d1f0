import type { Hardware } from '@tinkerbell/resources';

/** The file that a Raspberry Pi gets for a name below its serial number. */
export type RaspberryPiFile =
  | { readonly kind: 'text'; readonly text: string }
  /** A file of the asset directory. */
  | { readonly kind: 'asset'; readonly path: string }
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * The boot ROM of a Raspberry Pi requests `<serial number>/<file>`. config.txt and cmdline.txt come from the Hardware that has
 * `address`. Every other file comes from the folder that its rpi.firmwarePath names (upstream: smee's TFTP). Returns undefined
 * for a name that is not a Raspberry Pi's.
 */
export function raspberryPiFile(
  hardware: readonly Hardware[],
  address: string,
  fileName: string,
): RaspberryPiFile | undefined {
  const found = raspberryPiAt(hardware, address);
  const [, serial = '', file = ''] = /^\/?([0-9a-zA-Z]+)\/(.+)$/.exec(fileName) ?? [];
  if (found === undefined || found.rpi.serialNum.toLowerCase() !== serial.toLowerCase()) return undefined;
  const folder = (found.rpi.firmwarePath ?? '').replace(/^\/+|\/+$/g, '');
  if (serial === '' || folder === '') return undefined;
  const asset = { kind: 'asset', path: `${folder}/${file}` } as const;
  if (file === 'config.txt') return textOr(found.rpi.configTxt ?? '', asset);
  return file === 'cmdline.txt' ? commandLine(found.parameters, found.path, asset) : asset;
}

/** Returns the Raspberry Pi settings of the one Hardware that has the address. */
function raspberryPiAt(hardware: readonly Hardware[], address: string) {
  const [only] = hardware;
  if (only === undefined || hardware.length > 1) return undefined;
  const interfaces = only.spec?.interfaces ?? [];
  const index = interfaces.findIndex(({ dhcp }) => dhcp?.ip?.address === address);
  const netboot = interfaces[index]?.netboot;
  if (netboot?.rpi === undefined) return undefined;
  return {
    rpi: netboot.rpi,
    parameters: netboot.osie?.kernelParams ?? [],
    path: `spec.interfaces[${index}]`,
  };
}

function commandLine(
  parameters: readonly string[],
  path: string,
  otherwise: RaspberryPiFile,
): RaspberryPiFile {
  const broken = parameters.findIndex((each) => /\p{Cc}/u.test(each));
  if (broken < 0) return textOr(parameters.join(' '), otherwise);
  const field = `${path}.netboot.osie.kernelParams[${broken}]`;
  return { kind: 'invalid', message: `${field}: holds a line break or another control character; remove it` };
}

function textOr(text: string, otherwise: RaspberryPiFile): RaspberryPiFile {
  return text === '' ? otherwise : { kind: 'text', text };
}
