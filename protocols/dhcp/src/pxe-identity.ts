import { bytesToHex } from '@tinkerbell/wire';
import type { OptionCodec } from './option-codec.ts';

/** Option 94, RFC 4578 section 2.2: type 1 is UNDI, followed by its version. */
export interface ClientNetworkInterface {
  readonly type: number;
  readonly major: number;
  readonly minor: number;
}

export const clientNetworkInterfaceOption: OptionCodec<ClientNetworkInterface> = {
  decode: ([type, major, minor, ...rest]) =>
    type === undefined || major === undefined || minor === undefined || rest.length > 0
      ? undefined
      : { type, major, minor },
  encode: ({ type, major, minor }) => Uint8Array.of(type, major, minor),
};

/**
 * Option 97, RFC 4578 section 2.3: a type byte (0) and 16 bytes of GUID. It is kept as bytes because replies must echo it
 * unchanged, and because some ROMs send it empty.
 */
export const clientMachineIdentifierOption: OptionCodec<Uint8Array> = {
  decode: (bytes) => bytes,
  encode: (bytes) => bytes,
};

/**
 * Returns the SMBIOS UUID of option 97 in its printed form, or undefined when it is not type 0 with 16 bytes. The first three
 * groups are little endian on the wire (PXE 2.1 after SMBIOS), so that the text equals what iPXE and dmidecode print.
 */
export function machineUuidOf(identifier: Uint8Array): string | undefined {
  if (identifier.length !== 17 || identifier[0] !== 0) return undefined;
  const [, ...uuid] = identifier;
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  const digits = bytesToHex(Uint8Array.from(order, (index) => uuid[index] ?? 0));
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
