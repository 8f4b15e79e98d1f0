import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { uint32Le } from '../bytes.ts';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const privilegeCommand = 0x3b;
export const closeSessionCommand = 0x3c;

/** Privilege levels (section 6.8). */
export const privilegeLevel = { user: 2, operator: 3, administrator: 4 } as const;

/** Set Session Privilege Level (section 22.18). A session starts at the level of a user. */
export function setPrivilegeRequest(level: number): IpmiRequest {
  return { netFn: netFn.application, command: privilegeCommand, bytes: Uint8Array.of(level) };
}

/** Returns the level of the session. */
export function decodePrivilege(bytes: Uint8Array): Decoded<number> {
  return decoded(() => new ByteReader(bytes).uint8('privilege level') & 0x0f);
}

/** Close Session (section 22.19). */
export function closeSessionRequest(bmcId: number): IpmiRequest {
  return {
    netFn: netFn.application,
    command: closeSessionCommand,
    bytes: Uint8Array.from(uint32Le(bmcId)),
  };
}
