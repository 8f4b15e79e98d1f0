/** Accounts of a BMC (sections 22.27 to 22.30). */
import { ByteReader, decoded, encodeUtf8, type Decoded } from '@tinkerbell/wire';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

/** The channel of the session. */
const THIS_CHANNEL = 0x0e;
const NAME_BYTES = 16;
/** Every BMC stores this many bytes of a password. */
const PASSWORD_BYTES = 16;
const SET_PASSWORD = 2;

/** Get User Access: how many accounts the channel has. */
export function userCountRequest(): IpmiRequest {
  return { netFn: netFn.application, command: 0x44, bytes: Uint8Array.of(THIS_CHANNEL, 1) };
}

export function decodeUserCount(bytes: Uint8Array): Decoded<number> {
  return decoded(() => new ByteReader(bytes).uint8('maximum number of users') & 0x3f);
}

/** Get User Name. Accounts are counted from 1. */
export function userNameRequest(user: number): IpmiRequest {
  return { netFn: netFn.application, command: 0x46, bytes: Uint8Array.of(user) };
}

export function decodeUserName(bytes: Uint8Array): Decoded<string> {
  return decoded(() => {
    const name = new ByteReader(bytes).bytes(NAME_BYTES, 'user name');
    const end = name.indexOf(0);
    return String.fromCharCode(...(end === -1 ? name : name.subarray(0, end)));
  });
}

/** Set User Password, as 16 bytes. Throws a RangeError for a longer one. */
export function setPasswordRequest(user: number, password: string): IpmiRequest {
  const text = encodeUtf8(password);
  if (text.length > PASSWORD_BYTES) throw new RangeError(`a password has at most ${PASSWORD_BYTES} bytes`);
  const bytes = new Uint8Array(2 + PASSWORD_BYTES);
  bytes.set([user, SET_PASSWORD]);
  bytes.set(text, 2);
  return { netFn: netFn.application, command: 0x47, bytes };
}
