import type { BootSetting, PowerOperation, PowerState } from '@tinkerbell/bmc';
import {
  chassisControlRequest,
  chassisStatusRequest,
  decodeChassisStatus,
  privilegeLevel,
  setPrivilegeRequest,
  type Session,
} from '@tinkerbell/ipmi';
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import { BmcError } from '../bmc-error.ts';
import type { BmcDriver, BmcSession, SerialConsole } from '../driver.ts';
import { bmcAddress } from './bmc-address.ts';
import { readBootSetting, writeBootSetting } from './boot-setting.ts';
import { valueOf } from './invalid-answer.ts';
import { readInventory } from './inventory.ts';
import { IpmiChannel } from './ipmi-channel.ts';
import { IpmiConnection } from './ipmi-connection.ts';
import type { IpmiDeps, IpmiOptions } from './ipmi-deps.ts';
import { completionError } from './ipmi-errors.ts';
import { logIn } from './log-in.ts';
import { nodeIpmiCrypto } from './node-crypto.ts';
import { openSolConsole } from './sol-console.ts';
import { writePassword } from './user-password.ts';

/** IPMI 2.0 over the network. It has the name of upstream's provider, which executes ipmitool. This one does not. */
export function createIpmiDriver(deps: IpmiDeps): BmcDriver<IpmiOptions> {
  const { clock, random, crypto = nodeIpmiCrypto } = deps;
  return {
    name: 'ipmitool',
    async open(target, options, signal) {
      const channel = await IpmiChannel.open(deps, await bmcAddress(deps, target, options));
      let connection: IpmiConnection | undefined;
      try {
        const { session, privilege } = await logIn(
          { clock, random, crypto },
          { channel, target, options, signal },
        );
        connection = new IpmiConnection({ clock, crypto }, { channel, session, timeoutMs: target.timeoutMs });
        await raisePrivilege(connection, { highest: privilege, signal });
        return new IpmiBmcSession(connection, session.version);
      } catch (error) {
        await (connection ?? channel)[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

/** 0x80 and 0x81: the level exceeds the limit of the user or of the channel. */
const LEVEL_REFUSALS: readonly number[] = [0x80, 0x81];

interface PrivilegeWish {
  readonly highest: number;
  readonly signal: AbortSignal;
}

/** A session starts with the rights of a user (section 13.15). Some BMCs refuse a role only now, and not in the login. */
async function raisePrivilege(connection: IpmiConnection, { highest, signal }: PrivilegeWish): Promise<void> {
  const operation = 'raise the privilege of the session';
  const onAbort = (): void => connection.abandon(new BmcError('aborted', 'the IPMI login was aborted'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (const level of [highest, privilegeLevel.operator]) {
      const request = setPrivilegeRequest(level);
      const { completionCode } = await connection.ask({ operation, request });
      if (completionCode === 0) return;
      if (!LEVEL_REFUSALS.includes(completionCode))
        throw completionError({ operation, request, completionCode });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  throw new BmcError('missing-privilege', 'the account may not act as an operator');
}

/** Operations that have another effect when they are performed twice. They are sent once. */
const SENT_ONCE: readonly PowerOperation[] = ['cycle', 'reset'];

/** 0xcc: the operation does not exist. Chassis Control knows `soft` as an option (section 28.3). */
const controlMeanings = { 0xcc: 'unsupported' } as const;

class IpmiBmcSession implements BmcSession {
  readonly provider = 'ipmitool';
  readonly #connection: IpmiConnection;
  readonly #version: Session['version'];

  constructor(connection: IpmiConnection, version: Session['version']) {
    this.#connection = connection;
    this.#version = version;
  }

  async powerState(): Promise<PowerState> {
    const operation = 'read the power state';
    const bytes = await this.#connection.call({ operation, request: chassisStatusRequest });
    return valueOf(decodeChassisStatus(bytes), operation).isPowered ? 'on' : 'off';
  }

  async setPower(operation: PowerOperation): Promise<void> {
    await this.#connection.call({
      operation: `perform the power operation ${operation}`,
      request: chassisControlRequest(operation),
      mayRepeat: !SENT_ONCE.includes(operation),
      meanings: controlMeanings,
    });
  }

  setBootDevice(setting: BootSetting): Promise<void> {
    return writeBootSetting(this.#connection, setting);
  }

  bootDevice(): Promise<BootSetting | undefined> {
    return readBootSetting(this.#connection);
  }

  inventory(): Promise<OutOfBandAttributes> {
    return readInventory(this.#connection);
  }

  async setPassword(username: string, password: string): Promise<void> {
    if (this.#version === '1.5')
      throw new BmcError('unsupported', 'IPMI 1.5 would send the new password without encryption');
    await writePassword(this.#connection, username, password);
  }

  async openConsole(): Promise<SerialConsole> {
    if (this.#version === '1.5') throw new BmcError('unsupported', 'the serial console needs IPMI 2.0');
    return await openSolConsole(this.#connection);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection[Symbol.asyncDispose]();
  }
}
