/** A BMC in memory, which can lie. */
import type { BootSetting, PowerOperation, PowerState } from '@tinkerbell/bmc';
import { BmcError, type BmcDriver, type BmcSession } from '@tinkerbell/engine-bmc';
import type { OutOfBandAttributes } from '@tinkerbell/resources';

export class SimulatedBmc {
  power: PowerState = 'off';
  boot: BootSetting = { device: 'none', persistent: false, efiBoot: false };
  media: string | undefined;
  parts: OutOfBandAttributes = { product: { name: 'Simulated', serialNumber: 'S1' } };
  /** Operations that the BMC has accepted. */
  readonly accepted: string[] = [];
  /** Failures that the next calls get, in order. A call that is not listed works. */
  readonly failures: (BmcError | undefined)[] = [];
  /** The SHA-256 of its certificate. Undefined: it has no TLS. */
  certificateSha256: string | undefined;
  logins = 0;
  password = 'secret';
  ignoresPower = false;
  ignoresBootDevice = false;
  ignoresMedia = false;
  reportsBootDevice = true;
  /** The image is gone with the process that inserted it, as with Intel AMT. */
  servesMedia = false;
  /** Called before each change of the image. */
  beforeMedia: () => Promise<void> = () => Promise.resolve();
  /** Calls at the same time, at most. */
  calls = 0;
  callsMax = 0;

  driver(name: 'ipmitool' | 'gofish' = 'ipmitool'): BmcDriver {
    return {
      name,
      open: async (target) => {
        await this.#call();
        if (target.trust.kind === 'pin' && target.trust.sha256 !== this.certificateSha256)
          throw new BmcError('untrusted-certificate', 'the certificate is not the pinned one');
        if (target.credentials.password !== this.password)
          throw new BmcError('wrong-credentials', `the BMC at ${target.host} refused the login`);
        this.logins += 1;
        return this.#session(name);
      },
      endMedia: () => {
        if (this.media !== undefined) this.accepted.push('end media');
        this.media = undefined;
        return Promise.resolve();
      },
      close: () => {
        if (this.servesMedia) this.media = undefined;
        return Promise.resolve();
      },
    };
  }

  #session(provider: 'ipmitool' | 'gofish'): BmcSession {
    return {
      provider,
      powerState: async () => {
        await this.#call();
        return this.power;
      },
      setPower: async (operation) => {
        await this.#call();
        this.accepted.push(`power ${operation}`);
        if (!this.ignoresPower) this.#setPower(operation);
      },
      setBootDevice: async (setting) => {
        await this.#call();
        this.accepted.push(`boot ${setting.device}`);
        if (!this.ignoresBootDevice) this.boot = setting;
      },
      bootDevice: async () => {
        await this.#call();
        return this.reportsBootDevice ? this.boot : undefined;
      },
      setVirtualMedia: async (url) => {
        await this.#call();
        await this.beforeMedia();
        this.accepted.push(url === undefined ? 'eject' : `insert ${url}`);
        if (!this.ignoresMedia) this.media = url;
      },
      servesMedia: this.servesMedia,
      virtualMedia: async () => {
        await this.#call();
        return this.media === undefined ? {} : { url: this.media };
      },
      certificateSha256: () => this.certificateSha256,
      inventory: async () => {
        await this.#call();
        return this.parts;
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  #setPower(operation: PowerOperation): void {
    this.power = operation === 'off' || operation === 'soft' ? 'off' : 'on';
  }

  async #call(): Promise<void> {
    this.calls += 1;
    this.callsMax = Math.max(this.callsMax, this.calls);
    await Promise.resolve();
    this.calls -= 1;
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}
