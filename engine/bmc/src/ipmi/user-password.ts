import {
  completion,
  decodeUserCount,
  decodeUserName,
  setPasswordRequest,
  userCountRequest,
  userNameRequest,
} from '@tinkerbell/ipmi';
import { BmcError } from '../bmc-error.ts';
import { valueOf } from './invalid-answer.ts';
import type { IpmiConnection } from './ipmi-connection.ts';
import { completionError } from './ipmi-errors.ts';

const operation = 'change the password';
/** Answers for an account that has no name, or is not used. */
const NO_NAME: readonly number[] = [
  completion.invalidField,
  completion.notPresent,
  completion.parameterOutOfRange,
];

export async function writePassword(
  connection: IpmiConnection,
  username: string,
  password: string,
): Promise<void> {
  const user = await userNamed(connection, username);
  await connection.call({ operation, request: setPasswordRequest(user, password) });
}

async function userNamed(connection: IpmiConnection, username: string): Promise<number> {
  const count = valueOf(
    decodeUserCount(await connection.call({ operation, request: userCountRequest() })),
    operation,
  );
  for (let user = 1; user <= count; user += 1) {
    const request = userNameRequest(user);
    const { completionCode, bytes } = await connection.ask({ operation, request });
    if (NO_NAME.includes(completionCode)) continue;
    if (completionCode !== 0) throw completionError({ operation, request, completionCode });
    if (valueOf(decodeUserName(bytes), operation) === username) return user;
  }
  throw new BmcError('unsupported', `the BMC does not list the account ${username}`);
}
