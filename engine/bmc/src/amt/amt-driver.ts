/**
 * The driver of Intel AMT (upstream bmclib's provider `IntelAMT`): power, the next boot, the parts and the serial console of business
 * PCs.
 */
import type { BootDevice, BootSetting, PowerOperation, PowerState } from '@tinkerbell/bmc';
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import {
  amtClass,
  amtPowerOf,
  bootConfiguration,
  bootOrderRequest,
  bootRoleRequest,
  bootSettings,
  childText,
  listenerSettings,
  powerRequest,
  solStateRequest,
  type AmtBootSource,
} from '@tinkerbell/wsman';
import { BmcError } from '../bmc-error.ts';
import type { BmcDriver, BmcSession, SerialConsole } from '../driver.ts';
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

const SOURCES: Readonly<Partial<Record<BootDevice, AmtBootSource>>> = {
  pxe: 'pxe',
  disk: 'disk',
  cdrom: 'cdrom',
};

/** AMT does not report what boots next, so the boot device is not read back. */
class AmtSession implements BmcSession {
  readonly provider = 'intelamt';
  readonly #client: AmtClient;
  readonly #connectConsole: () => Promise<SerialConsole>;

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

  /** The firmware chooses BIOS or UEFI mode itself. */
  async setBootDevice({ device, persistent, httpBootUri }: BootSetting): Promise<void> {
    if (persistent) throw new BmcError('unsupported', 'AMT sets the boot device for the next boot only');
    if (httpBootUri !== undefined)
      throw new BmcError('unsupported', 'boot by HTTP is not implemented for AMT; use PXE');
    const source = SOURCES[device];
    if (source === undefined && device !== 'bios' && device !== 'none')
      throw new BmcError('unsupported', `AMT has no boot device ${device}`);
    const settings = { resource: amtClass.bootSettings };
    const members = bootSettings(await this.#client.get(settings), { entersSetup: device === 'bios' });
    // An older choice of the boot order would prevent the change of the settings.
    await this.#order(undefined);
    await this.#client.put(settings, members);
    if (source !== undefined) await this.#order(source);
    const role = bootRoleRequest(device === 'none' ? 'disabled' : 'next-boot');
    if (role.kind === 'invoke') await this.#client.invoke({ resource: amtClass.bootService }, role);
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

  async #order(source: AmtBootSource | undefined): Promise<void> {
    const request = bootOrderRequest(source);
    if (request.kind === 'invoke') await this.#client.invoke(bootConfiguration, request);
  }
}
