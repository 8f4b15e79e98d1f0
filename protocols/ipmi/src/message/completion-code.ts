import type { IpmiRequest } from './ipmi-message.ts';

/** Completion codes that callers compare with (table 5-2). */
export const completion = {
  ok: 0x00,
  nodeBusy: 0xc0,
  invalidCommand: 0xc1,
  invalidCommandForUnit: 0xc2,
  timeout: 0xc3,
  outOfSpace: 0xc4,
  reservationCancelled: 0xc5,
  lengthInvalid: 0xc7,
  lengthExceeded: 0xc8,
  parameterOutOfRange: 0xc9,
  cannotReturnBytes: 0xca,
  notPresent: 0xcb,
  invalidField: 0xcc,
  firmwareUpdate: 0xd1,
  initializing: 0xd2,
  insufficientPrivilege: 0xd4,
  notInPresentState: 0xd5,
  disabled: 0xd6,
} as const;

/** Table 5-2. Each is the end of a sentence that starts with "the BMC answered that". */
const generic: Readonly<Partial<Record<number, string>>> = {
  0x00: 'the command completed',
  0xc0: 'it is too busy to process the command',
  0xc1: 'it does not know the command',
  0xc2: 'the command is invalid for this logical unit',
  0xc3: 'the command timed out within the BMC',
  0xc4: 'it has no space left',
  0xc5: 'the reservation is cancelled or invalid',
  0xc6: 'the request was truncated',
  0xc7: 'the length of the request is invalid',
  0xc8: 'the request is longer than the command allows',
  0xc9: 'a parameter is out of range',
  0xca: 'it cannot return the number of bytes that was requested',
  0xcb: 'the sensor, record or data does not exist',
  0xcc: 'a field of the request is invalid',
  0xcd: 'the command is not allowed for this sensor or record',
  0xce: 'it cannot provide an answer',
  0xcf: 'the request is a duplicate',
  0xd0: 'the sensor data repository is being updated',
  0xd1: 'its firmware is being updated',
  0xd2: 'its initialization is in progress',
  0xd3: 'the destination is unavailable',
  0xd4: 'the account lacks the privilege for the command',
  0xd5: 'the machine is in a state that does not support the command',
  0xd6: 'the command or its firmware is disabled',
  0xff: 'an error occurred that it does not specify',
};

/** The key is network function, command and code. */
const specific: Readonly<Partial<Record<string, string>>> = {
  '6/59/128': 'the account must not have the requested privilege level',
  '6/59/129': 'the requested privilege level exceeds the limit of the channel or the user',
  '6/59/130': 'authentication at the user level cannot be disabled',
  '6/60/135': 'the session does not exist',
  '6/72/128': 'another session has the serial console open',
  '6/72/129': 'the serial console is disabled',
  '6/72/130': 'the limit of open serial consoles is reached',
  '6/72/131': 'the serial console cannot be opened with encryption',
  '6/72/132': 'the serial console cannot be opened without encryption',
  '6/73/128': 'the serial console is closed already',
  '6/73/129': 'the serial console is disabled',
  '0/8/128': 'it does not support the boot parameter',
  '0/8/129': 'another client is setting boot options',
  '0/8/130': 'the boot parameter is read-only',
  '0/9/128': 'it does not support the boot parameter',
  '10/17/129': 'the inventory device is busy',
  '10/67/129': 'the event log is being erased',
};

/** Returns a clause for a code, without a full stop: `it is too busy to process the command (code 0xc0)`. */
export function describeCompletion(request: Pick<IpmiRequest, 'netFn' | 'command'>, code: number): string {
  const sentence =
    specific[`${request.netFn}/${request.command}/${code}`] ?? generic[code] ?? otherMeaning(code);
  return `${sentence} (code 0x${code.toString(16).padStart(2, '0')})`;
}

function otherMeaning(code: number): string {
  if (code >= 0x80 && code <= 0xbe) return 'the command failed with a code of its own';
  return code <= 0x7e ? 'the command failed with a code of its vendor' : 'the command failed';
}
