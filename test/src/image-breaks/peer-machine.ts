/** Another machine of the rack, behind a slow link: it writes the same image, and serves what its disk has of it meanwhile. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createNetworkHost, enterPrivateNetwork, type NetworkHost } from '@tinkerbell/sandbox';
import { startImage2disk, type ActionChild } from '../image-peers/action-child.ts';
import { IMAGE_BYTES, sha256Of } from './disk-image.ts';

const NETWORK = '10.251.0';
/** Of the site, as the machine sees it. */
export const SITE_ADDRESS = `${NETWORK}.1`;
const INTERFACE = 'eth0';
const RATE = '24mbit';
/** Of what it gets, so that it still writes when another machine has all of its chunks. */
const RECEIVING_RATE = '16mbit';
/** A chunk of noise takes half a minute, and an agent waits for three seconds. */
const SLOW_RATE = '256kbit';
const ANY_BYTES = 0xaa;
const LOOK_MS = 5;

export const PEER_BREAKS = ['killed', 'restarted', 'cut off', 'stalled', 'slow'] as const;
export type PeerBreak = (typeof PEER_BREAKS)[number];

export class PeerMachine {
  readonly #bridge: string;
  readonly #host: NetworkHost;
  readonly #disk: string;
  #url = '';
  #action: ActionChild | undefined;
  #isKilled = false;

  private constructor(parts: { readonly bridge: string; readonly host: NetworkHost; readonly disk: string }) {
    this.#bridge = parts.bridge;
    this.#host = parts.host;
    this.#disk = parts.disk;
  }

  /** `bridge`: of the network of this process. `disk`: a path. */
  static async open({ bridge, disk }: { bridge: string; disk: string }): Promise<PeerMachine> {
    const host = await createNetworkHost([{ name: INTERFACE, bridge, address: `${NETWORK}.10/24` }]);
    const machine = new PeerMachine({ bridge, host, disk });
    await machine.#sendAt(RATE);
    return machine;
  }

  /** Starts `image2disk` on a used disk. Resolves when that has so many bytes of the image. */
  async begin(url: string, bytes: number): Promise<void> {
    writeFileSync(this.#disk, Buffer.alloc(IMAGE_BYTES, ANY_BYTES));
    this.#url = url;
    this.#isKilled = false;
    await this.#start().hasWritten(bytes);
  }

  /** What it has sent to the site: chunks, and a little to the server. */
  sentBytes(): number {
    const line = new RegExp(`^ *${this.#bridge}: *(\\d+)`, 'm').exec(
      readFileSync('/proc/self/net/dev', 'utf8'),
    );
    return Number(line?.[1]);
  }

  /** Resolves with true after it has sent this many more bytes, and with false when the signal aborts before. */
  async afterBytes(count: number, over: AbortSignal): Promise<boolean> {
    const wanted = this.sentBytes() + count;
    while (this.sentBytes() < wanted && !over.aborted)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return !over.aborted;
  }

  get isRunning(): boolean {
    return this.#action?.isRunning() === true;
  }

  /** Resolves when the break is over, which is at the end of `pause` if it does not last. */
  async break(kind: PeerBreak, pause: () => Promise<void>): Promise<void> {
    switch (kind) {
      case 'killed':
        this.#isKilled = true;
        return await this.#action?.kill();
      case 'restarted':
        await this.#action?.kill();
        return void this.#start();
      case 'cut off':
        await this.#link('down');
        await pause();
        return await this.#link('up');
      case 'stalled':
        this.#signal('SIGSTOP');
        await pause();
        return this.#signal('SIGCONT');
      case 'slow':
        await this.#sendAt(SLOW_RATE);
        await pause();
        return await this.#sendAt(RATE);
    }
  }

  /** Waits for the end of its action, unless that was killed. Throws when it or its disk is wrong. */
  async finish(sha256: string): Promise<void> {
    if (this.#isKilled || this.#action === undefined) return;
    const { ok, message } = await this.#action.ended;
    if (!ok) throw new Error(`the peer failed: ${message}`);
    if ((await sha256Of(this.#disk)) !== sha256) throw new Error(`the disk of the peer differs: ${message}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#action?.kill();
    await this.#host.stop();
  }

  #start(): ActionChild {
    this.#action = startImage2disk({ url: this.#url, disk: this.#disk, prefix: this.#host.prefix });
    return this.#action;
  }

  async #link(state: 'up' | 'down'): Promise<void> {
    await this.#host.run('ip', 'link', 'set', INTERFACE, state);
  }

  async #sendAt(rate: string): Promise<void> {
    await this.#host.run('tc', 'qdisc', 'replace', 'dev', INTERFACE, 'root', ...shaped(rate));
  }

  /** Its threads stop too. The kernel accepts connections for it. */
  #signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.isRunning) process.kill(this.#action?.pid ?? 0, signal);
  }
}

/** Call it once per process, before everything that is to be in this network. Returns the bridge. What the site sends to it is limited. */
export async function enterPeerNetwork(): Promise<string> {
  const { bridge } = await enterPrivateNetwork(SITE_ADDRESS);
  execFileSync('tc', ['qdisc', 'add', 'dev', bridge, 'root', ...shaped(RECEIVING_RATE)]);
  return bridge;
}

function shaped(rate: string): readonly string[] {
  return ['tbf', 'rate', rate, 'burst', '32kb', 'latency', '400ms'];
}
