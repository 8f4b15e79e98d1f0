/** The discs that this process serves to machines with Intel AMT. They outlive the sessions of WS-Management that insert them. */
import { DiscCache } from '../disc/disc-cache.ts';
import { RemoteDisc } from '../disc/remote-disc.ts';
import { amtPort, type AmtTarget } from './amt-client.ts';
import type { AmtDeps, AmtOptions } from './amt-deps.ts';
import { openAmtDrive } from './amt-drive.ts';
import { HeldDisc } from './held-disc.ts';

export class AmtMedia implements AsyncDisposable {
  readonly #deps: AmtDeps;
  readonly #cache = new DiscCache();
  readonly #held = new Map<string, HeldDisc>();

  constructor(deps: AmtDeps) {
    this.#deps = deps;
  }

  /** Resolves when the machine has the disc. Rejects with a BmcError. */
  async insert(given: AmtTarget, url: string): Promise<void> {
    const place = placeOf(given.target.host, given.options);
    const held = this.#held.get(place);
    if (held?.isOpen === true && held.url === url) return;
    await this.#eject(place);
    const connect = (ejected: AbortSignal) => {
      const signal = AbortSignal.any([given.signal, ejected]);
      return this.#connect({ ...given, signal }, url);
    };
    this.#held.set(place, await HeldDisc.insert(url, this.#deps.clock, connect));
  }

  async eject(host: string, options: AmtOptions): Promise<void> {
    await this.#eject(placeOf(host, options));
  }

  /** Undefined: the machine has no disc now. */
  urlIn({ target, options }: AmtTarget): string | undefined {
    const held = this.#held.get(placeOf(target.host, options));
    return held?.isOpen === true ? held.url : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#held.keys()].map((place) => this.#eject(place)));
  }

  /** The image is asked again each time, because it may have changed. */
  async #connect(given: AmtTarget, url: string) {
    const { httpClient, mayFetch } = this.#deps;
    const sources = { httpClient, mayFetch, cache: this.#cache };
    const disc = await RemoteDisc.open(sources, { url, signal: given.signal });
    return await openAmtDrive(this.#deps, given, disc);
  }

  async #eject(place: string): Promise<void> {
    const held = this.#held.get(place);
    this.#held.delete(place);
    await held?.[Symbol.asyncDispose]();
  }
}

function placeOf(host: string, options: AmtOptions): string {
  return `${host.toLowerCase()} ${amtPort(options)}`;
}
