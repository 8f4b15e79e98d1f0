/**
 * The driver of Intel AMT (upstream bmclib's provider `IntelAMT`): power, the next boot, virtual media, the parts and the serial
 * console of business PCs.
 */
import type { BootSetting, PowerOperation, PowerState } from '@tinkerbell/bmc';
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import {
  amtClass,
  amtPowerOf,
  childText,
  listenerSettings,
  powerRequest,
  redirectionRequest,
} from '@tinkerbell/wsman';
import { BmcError } from '../bmc-error.ts';
import type { BmcDriver, BmcSession, MediaState, SerialConsole } from '../driver.ts';
import { readAmtBoot, writeAmtBoot } from './amt-boot.ts';
import { AmtClient, type AmtTarget } from './amt-client.ts';
import { openAmtConsole } from './amt-console.ts';
import type { AmtDeps, AmtOptions } from './amt-deps.ts';
import { readAmtInventory } from './amt-inventory.ts';
import { AmtMedia } from './amt-media.ts';

export function createAmtDriver(deps: AmtDeps): BmcDriver<AmtOptions> {
  const media = new AmtMedia(deps);
  return {
    name: 'intelamt',
    async open(target, options, signal) {
      const given = { target, options, signal };
      const client = new AmtClient(deps, given);
      const session = new AmtSession(deps, { client, given, media });
      try {
        await session.powerState();
        return session;
      } catch (thrown) {
        await client[Symbol.asyncDispose]();
        throw thrown;
      }
    },
    endMedia: (host, options) => media.eject(host, options),
    close: () => media[Symbol.asyncDispose](),
  };
}

interface SessionParts {
  readonly client: AmtClient;
  readonly given: AmtTarget;
  readonly media: AmtMedia;
}

class AmtSession implements BmcSession {
  readonly provider = 'intelamt';
  readonly servesMedia = true;
  readonly #deps: AmtDeps;
  readonly #client: AmtClient;
  readonly #given: AmtTarget;
  readonly #media: AmtMedia;
  #written: BootSetting | undefined;

  constructor(deps: AmtDeps, { client, given, media }: SessionParts) {
    this.#deps = deps;
    this.#client = client;
    this.#given = given;
    this.#media = media;
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
    const hasDisc = this.#media.urlIn(this.#given) !== undefined;
    await writeAmtBoot(this.#client, setting, { hasDisc });
  }

  bootDevice(): Promise<BootSetting | undefined> {
    return readAmtBoot(this.#client, this.#written);
  }

  inventory(): Promise<OutOfBandAttributes> {
    return readAmtInventory(this.#client);
  }

  async setVirtualMedia(url: string | undefined): Promise<void> {
    const { target, options } = this.#given;
    if (url === undefined) return await this.#media.eject(target.host, options);
    await this.#offer('ider');
    await this.#media.insert(this.#given, url);
  }

  /** What this process serves. AMT does not show it. */
  virtualMedia(): Promise<MediaState> {
    const url = this.#media.urlIn(this.#given);
    return Promise.resolve(url === undefined ? {} : { url });
  }

  async openConsole(): Promise<SerialConsole> {
    await this.#offer('sol');
    return await openAmtConsole(this.#deps, this.#given);
  }

  certificateSha256(): string | undefined {
    return this.#client.certificateSha256();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]();
  }

  /** Switches drives or serial over LAN on where they are off, as in a new machine. */
  async #offer(wanted: 'ider' | 'sol'): Promise<void> {
    const redirection = { resource: amtClass.redirection };
    const service = await this.#client.get(redirection);
    const state = redirectionRequest(service, wanted);
    if (state?.kind === 'invoke') await this.#client.invoke(redirection, state);
    const listening = listenerSettings(state === undefined ? service : await this.#client.get(redirection));
    if (listening !== undefined) await this.#client.put(redirection, listening);
  }
}
