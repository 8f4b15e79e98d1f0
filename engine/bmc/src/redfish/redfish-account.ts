import { linkIn, textIn } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import { patch, type RedfishMachine } from './redfish-machine.ts';

/** Changes the password of an account (schema ManagerAccount). */
export async function writePassword(
  machine: RedfishMachine,
  username: string,
  password: string,
): Promise<void> {
  const { connection, root } = machine;
  if (root.accountService === undefined) throw new BmcError('unsupported', 'the BMC has no account service');
  const accounts = linkIn((await connection.get(root.accountService)).fields, 'Accounts');
  if (accounts === undefined) throw new BmcError('unsupported', 'the BMC lists no accounts');
  for (const path of await connection.memberPaths(accounts)) {
    const account = await connection.get(path);
    if (textIn(account.fields, 'UserName') === username)
      return await patch(machine, account, { Password: password });
  }
  throw new BmcError('unsupported', `the BMC does not list the account ${username}`);
}
