/**
 * The driver of Intel AMT (upstream bmclib's provider `IntelAMT`): power, the next boot, the parts and the serial console of business
 * PCs.
 */
import type { BootSetting, PowerOperation, PowerState } from '@tinkerbell/bmc';
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import {
  amtClass,
  amtPowerOf,
  childText,
  listenerSettings,
  powerRequest,
  solStateRequest,
} from '@tinkerbell/wsman';
import { BmcError } from '../bmc-error.ts';
import type { BmcDriver, BmcSession, SerialConsole } from '../driver.ts';
import { readAmtBoot, writeAmtBoot } from './amt-boot.ts';
import { AmtClient, amtPort } from './amt-client.ts';
import { openAmtConsole } from './amt-console.ts';
import type { AmtDeps, AmtOptions } from './amt-deps.ts';
import { readAmtInventory } from './amt-inventory.ts';

export function createAmtDriver(deps: AmtDeps): BmcDriver<AmtOptions> {
  return {
    name: 'intelamt',
    async open(target, options, signal) {
      const given = { target, options, signal };
      const client = new AmtClient(deps, given);
      const session = new AmtSession(client, () => openAmtConsole(deps, given, amtPort(options)));
      try {
        await session.powerState();
        return session;
      } catch (thrown) {
        await client[Symbol.asyncDispose]();
        throw thrown;
      }
    },
  };
}

class AmtSession implements BmcSession {
  readonly provider = 'intelamt';
  readonly #client: AmtClient;
  readonly #connectConsole: () => Promise<SerialConsole>;
  #written: BootSetting | undefined;

  constructor(client: AmtClient, connectConsole: () => Promise<SerialConsole>) {
    this.#client = client;
    this.#connectConsole = connectConsole;
  }

  async powerState(): Promise<PowerState> {
    const service = await this.#client.get({ resource: amtClass.associatedPower });
    const power = amtPowerOf(childText(service, 'PowerState'));
    // A machine that sleeps has power, and wakes up when it is switched on.
    return power === 'sleeping' ? 'on' : power;
  }

  async setPower(operation: PowerOperation): Promise<void> {
    const request = powerRequest(operation);
    if (request.kind !== 'invoke') return;
    try {
      await this.#client.invoke({ resource: amtClass.power }, request);
    } catch (thrown) {
      if (!(thrown instanceof BmcError) || thrown.code !== 'unsupported' || operation !== 'soft')
        throw thrown;
      const message = `${thrown.message}: a soft power-off needs Intel's agent (LMS) in the operating system`;
      throw new BmcError('unsupported', message, { cause: thrown });
    }
  }

  async setBootDevice(setting: BootSetting): Promise<void> {
    this.#written = setting;
    await writeAmtBoot(this.#client, setting);
  }

  bootDevice(): Promise<BootSetting | undefined> {
    return readAmtBoot(this.#client, this.#written);
  }

  inventory(): Promise<OutOfBandAttributes> {
    return readAmtInventory(this.#client);
  }

  /** Switches serial over LAN on where it is off, as in a new machine. */
  async openConsole(): Promise<SerialConsole> {
    const redirection = { resource: amtClass.redirection };
    const service = await this.#client.get(redirection);
    const state = solStateRequest(service);
    if (state?.kind === 'invoke') await this.#client.invoke(redirection, state);
    const listening = listenerSettings(state === undefined ? service : await this.#client.get(redirection));
    if (listening !== undefined) await this.#client.put(redirection, listening);
    return await this.#connectConsole();
  }

  certificateSha256(): string | undefined {
    return this.#client.certificateSha256();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]();
  }
}
