import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { readUint16Le, uint16Le } from '../bytes.ts';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const activatePayloadCommand = 0x48;
export const deactivatePayloadCommand = 0x49;

const SOL_PAYLOAD = 1;
const FIRST_INSTANCE = 1;
const ENCRYPTED_AND_AUTHENTICATED = 0xc0;
/** The payload port is the one of the session, and there is no VLAN. */
const NO_VLAN = 0xffff;
/** The header of a console packet, which the sizes of a BMC include (table 24-2). */
const SOL_HEADER_BYTES = 4;
/** The count of accepted characters is one byte. */
const SOL_CHARACTERS_MAX = 255;

/** Activate Payload for the serial console (section 24.1), with encryption. */
export const activateSolRequest: IpmiRequest = {
  netFn: netFn.application,
  command: activatePayloadCommand,
  bytes: Uint8Array.of(SOL_PAYLOAD, FIRST_INSTANCE, ENCRYPTED_AND_AUTHENTICATED, 0, 0, 0),
};

/** Deactivate Payload (section 24.2). */
export const deactivateSolRequest: IpmiRequest = {
  netFn: netFn.application,
  command: deactivatePayloadCommand,
  bytes: Uint8Array.of(SOL_PAYLOAD, FIRST_INSTANCE, 0, 0, 0, 0),
};

/** Returns whether a request of either command means the serial console. */
export function isForSol({ bytes }: IpmiRequest): boolean {
  return (bytes[0] ?? 0) === SOL_PAYLOAD && (bytes[1] ?? 0) === FIRST_INSTANCE;
}

export interface ActivatedSol {
  /** The characters that one packet to the BMC may have, from 1 to 255. */
  readonly charactersToBmcMax: number;
  /** The UDP port of the console. It is the port of the session on all BMCs that are known. */
  readonly port: number;
}

export function decodeActivatedSol(bytes: Uint8Array): Decoded<ActivatedSol> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    reader.skip(4, 'auxiliary response');
    const characters = readUint16Le(reader, 'inbound payload size') - SOL_HEADER_BYTES;
    reader.skip(2, 'outbound payload size');
    const port = readUint16Le(reader, 'payload port');
    return { charactersToBmcMax: Math.max(1, Math.min(characters, SOL_CHARACTERS_MAX)), port };
  });
}

export function encodeActivatedSol({ charactersToBmcMax, port }: ActivatedSol): Uint8Array {
  const size = uint16Le(charactersToBmcMax + SOL_HEADER_BYTES);
  return Uint8Array.of(0, 0, 0, 0, ...size, ...size, ...uint16Le(port), ...uint16Le(NO_VLAN));
}
