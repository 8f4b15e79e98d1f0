/** The firmware of a machine, as arguments of QEMU. Debian's packages provide it. */
import { access, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootVariable, encodeBootOrder, encodeUriOption, GLOBAL_VARIABLES } from '@tinkerbell/efi-boot';
import { withVariables, type EfiVariable } from './efi-variable-store.ts';

/**
 * `bios`: SeaBIOS with iPXE as the option ROM of the network card. `uefi...`: OVMF's own PXE or HTTP client. `arm64-uefi`:
 * the same for 64-bit ARM. `u-boot`: U-Boot on 64-bit ARM. `uefi-secure`: OVMF with Secure Boot and Microsoft's keys.
 */
export type Firmware = 'bios' | 'uefi' | 'uefi-secure' | 'uefi-http' | 'uefi-https' | 'arm64-uefi' | 'u-boot';

/**
 * Kernel arguments of every emulated PC. Linux checks the timer's interrupt by waiting some 50 ms for four of
 * them. An emulator that gets no processor meanwhile delivers too few, and the kernel tries other ways, which
 * may end in a panic before the first console.
 */
export const EMULATED_KERNEL_ARGUMENTS = 'no_timer_check';

/** Kernel arguments for the serial port, from the first message on, panics included. */
export function serialConsoleArguments(firmware: Firmware): readonly string[] {
  return isArm(firmware)
    ? ['console=ttyAMA0', 'earlycon', 'keep_bootcon']
    : ['console=ttyS0', 'earlyprintk=serial,ttyS0,115200,keep'];
}

export interface FirmwareOptions {
  readonly firmware: Firmware;
  readonly name: string;
  /** A folder for its variables and certificates. */
  readonly directory: string;
  /** The DER of the authority that UEFI HTTPS boot trusts. */
  readonly certificateAuthority?: Uint8Array;
  /** The URL that UEFI boots from next (Redfish: HttpBootUri), before everything else. */
  readonly httpBootUri?: string | undefined;
}

interface Flash {
  readonly code: string;
  readonly variables: string;
  readonly debianPackage: string;
}

const OVMF: Flash = {
  code: '/usr/share/OVMF/OVMF_CODE_4M.fd',
  variables: '/usr/share/OVMF/OVMF_VARS_4M.fd',
  debianPackage: 'ovmf',
};
const SECURE_OVMF: Flash = {
  code: '/usr/share/OVMF/OVMF_CODE_4M.ms.fd',
  variables: '/usr/share/OVMF/OVMF_VARS_4M.ms.fd',
  debianPackage: 'ovmf',
};
const AAVMF: Flash = {
  code: '/usr/share/AAVMF/AAVMF_CODE.fd',
  variables: '/usr/share/AAVMF/AAVMF_VARS.fd',
  debianPackage: 'qemu-efi-aarch64',
};
const U_BOOT = '/usr/lib/u-boot/qemu_arm64/u-boot.bin';

export function isArm(firmware: Firmware): boolean {
  return firmware === 'arm64-uefi' || firmware === 'u-boot';
}

export function emulatorOf(firmware: Firmware): string {
  return isArm(firmware) ? 'qemu-system-aarch64' : 'qemu-system-x86_64';
}

/** @throws Error that names the Debian package when the firmware is missing, and for BIOS with a URL. */
export async function firmwareArguments(options: FirmwareOptions): Promise<readonly string[]> {
  if (options.httpBootUri !== undefined && (options.firmware === 'bios' || options.firmware === 'u-boot'))
    throw new Error(`the firmware ${options.firmware} cannot boot from ${options.httpBootUri}: use UEFI`);
  switch (options.firmware) {
    case 'bios':
      return [];
    case 'u-boot':
      await need(U_BOOT, 'u-boot-qemu');
      return ['-bios', U_BOOT];
    case 'arm64-uefi':
      return flashArguments(AAVMF, options);
    case 'uefi':
      return flashArguments(OVMF, options);
    case 'uefi-secure':
      return flashArguments(SECURE_OVMF, options);
    case 'uefi-http':
      return [...(await flashArguments(OVMF, options)), ...WITHOUT_PXE];
    case 'uefi-https':
      return [...(await flashArguments(OVMF, options)), ...WITHOUT_PXE, ...(await trusting(options))];
  }
}

/** With PXE off, HTTP boot over IPv4 is the first thing the firmware tries. */
const WITHOUT_PXE = ['IPv4PXESupport', 'IPv6PXESupport'].flatMap((name) => [
  '-fw_cfg',
  `name=opt/org.tianocore/${name},string=n`,
]);

async function flashArguments(
  flash: Flash,
  { name, directory, httpBootUri }: FirmwareOptions,
): Promise<readonly string[]> {
  await need(flash.code, flash.debianPackage);
  const variables = join(directory, `${name}.vars`);
  await copyFile(flash.variables, variables);
  if (httpBootUri !== undefined) {
    const fresh = await readFile(variables);
    await writeFile(variables, withVariables(fresh, nextBootFrom(httpBootUri)));
  }
  return [
    '-drive',
    `if=pflash,format=raw,readonly=on,file=${flash.code}`,
    '-drive',
    `if=pflash,format=raw,file=${variables}`,
  ];
}

/** A number that firmware does not give to the entries that it finds itself. */
const HTTP_ENTRY = 0x2000;

/** The firmware removes BootNext before it boots the entry, which is in no BootOrder. */
function nextBootFrom(uri: string): readonly EfiVariable[] {
  const vendor = GLOBAL_VARIABLES;
  return [
    { name: bootVariable(HTTP_ENTRY), vendor, bytes: encodeUriOption('HTTP boot of the BMC', uri) },
    { name: 'BootNext', vendor, bytes: encodeBootOrder([HTTP_ENTRY]) },
  ];
}

async function trusting({
  name,
  directory,
  certificateAuthority,
}: FirmwareOptions): Promise<readonly string[]> {
  if (certificateAuthority === undefined) return [];
  const path = join(directory, `${name}.cacerts`);
  await writeFile(path, signatureList(certificateAuthority));
  return ['-fw_cfg', `name=etc/edk2/https/cacerts,file=${path}`];
}

/** EFI_CERT_X509_GUID as it is in memory. */
const X509_GUID = Buffer.from('a159c0a5e494a74a87b5ab155c2bf072', 'hex');
const GUID_BYTES = 16;
const LIST_HEADER_BYTES = GUID_BYTES + 12;

/** One EFI_SIGNATURE_LIST with one certificate, UEFI specification section 32.4.1. */
export function signatureList(der: Uint8Array): Uint8Array {
  const signatureBytes = GUID_BYTES + der.length;
  const list = Buffer.alloc(LIST_HEADER_BYTES + signatureBytes);
  X509_GUID.copy(list, 0);
  list.writeUInt32LE(list.length, GUID_BYTES);
  list.writeUInt32LE(0, GUID_BYTES + 4);
  list.writeUInt32LE(signatureBytes, GUID_BYTES + 8);
  list.set(der, LIST_HEADER_BYTES + GUID_BYTES);
  return list;
}

async function need(file: string, debianPackage: string): Promise<void> {
  await access(file).catch((cause: unknown) => {
    throw new Error(`no ${file}: run apt-get install ${debianPackage}`, { cause });
  });
}
