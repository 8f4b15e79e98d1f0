/** Redfish (DMTF DSP0266). It has the name of upstream's provider, the Go library gofish, which it does not use. */
import {
  inventoryOf,
  redfishVendorOf,
  type BootSetting,
  type PowerOperation,
  type PowerState,
} from '@tinkerbell/bmc';
import type { Clock, OpenEndpointHttp } from '@tinkerbell/platform-contract';
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import type { BmcDriver, BmcSession, BmcTarget, MediaState } from '../driver.ts';
import { originOf } from '../http/origin-of.ts';
import { findSystem } from './find-system.ts';
import { writePassword } from './redfish-account.ts';
import { readInventory } from './read-inventory.ts';
import { readBoot, writeBoot } from './redfish-boot.ts';
import { RedfishConnection } from './redfish-connection.ts';
import { logIn } from './redfish-login.ts';
import type { RedfishMachine } from './redfish-machine.ts';
import { CdDrive } from './redfish-media.ts';
import { RedfishEvents } from './redfish-events.ts';
import { readPower, setPower } from './redfish-power.ts';

/** `spec.connection.providerOptions.redfish`. */
export interface RedfishOptions {
  readonly port?: number;
  /** Sends user name and password with each request. Default: false. */
  readonly useBasicAuth?: boolean;
  /** The system to control, for a BMC that has more than one. */
  readonly systemName?: string;
}

export interface RedfishDeps {
  readonly clock: Clock;
  readonly openHttp: OpenEndpointHttp;
}

const HTTPS_PORT = 443;

export function createRedfishDriver({ clock, openHttp }: RedfishDeps): BmcDriver<RedfishOptions> {
  return {
    name: 'gofish',
    async open(target, options, signal) {
      const origin = originOf('https', target.host, options.port ?? target.port ?? HTTPS_PORT);
      const connection = new RedfishConnection({ clock, http: openHttp(), target, origin, signal });
      try {
        return new RedfishSession(await machineOn(connection, target, options));
      } catch (thrown) {
        await connection[Symbol.asyncDispose]();
        throw thrown;
      }
    },
  };
}

async function machineOn(
  connection: RedfishConnection,
  { credentials }: BmcTarget,
  { useBasicAuth = false, systemName }: RedfishOptions,
): Promise<RedfishMachine> {
  const root = await logIn(connection, { credentials, useBasicAuth });
  const { path: systemPath, system } = await findSystem(connection, root, systemName);
  const names = [root.vendor, root.product, system.manufacturer];
  return { connection, root, systemPath, vendor: redfishVendorOf({ names, oem: root.oem }) };
}

class RedfishSession implements BmcSession {
  readonly provider = 'gofish';
  readonly events: RedfishEvents;
  readonly #machine: RedfishMachine;
  readonly #drive: CdDrive;
  /** Of the last setting, for a BMC that does not report the mode. */
  #efiBoot = true;

  constructor(machine: RedfishMachine) {
    this.#machine = machine;
    this.#drive = new CdDrive(machine);
    this.events = new RedfishEvents(machine);
  }

  powerState(): Promise<PowerState> {
    return readPower(this.#machine);
  }

  setPower(operation: PowerOperation): Promise<void> {
    return setPower(this.#machine, operation);
  }

  setBootDevice(setting: BootSetting): Promise<void> {
    this.#efiBoot = setting.efiBoot;
    return writeBoot(this.#machine, setting);
  }

  bootDevice(): Promise<BootSetting | undefined> {
    return readBoot(this.#machine, this.#efiBoot);
  }

  setVirtualMedia(url: string | undefined): Promise<void> {
    return this.#drive.write(url);
  }

  virtualMedia(): Promise<MediaState | undefined> {
    return this.#drive.read();
  }

  async inventory(): Promise<OutOfBandAttributes> {
    return inventoryOf(await readInventory(this.#machine));
  }

  setPassword(username: string, password: string): Promise<void> {
    return writePassword(this.#machine, username, password);
  }

  certificateSha256(): string | undefined {
    return this.#machine.connection.certificateSha256();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#machine.connection[Symbol.asyncDispose]();
  }
}
