import type { Clock, RouterDiscovery, RouterDiscoverySocket } from '@tinkerbell/platform-contract';
import type { RouterAdvertisementConfig } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';

/** RFC 4861 section 10, MIN_DELAY_BETWEEN_RAS: the minimum interval between multicast advertisements. */
const INTERVAL_MS = 3_000;
const ROUTER_ADVERTISEMENT = 134;
const ADVERTISEMENT_BYTES = 16;
const FLAGS_OFFSET = 5;
/** The flag for "Ask DHCPv6 for everything but addresses." */
const OTHER_CONFIGURATION = 0x40;

interface RouterAdvertiserInput {
  readonly discovery: RouterDiscovery;
  readonly clock: Clock;
  readonly config: RouterAdvertisementConfig;
  readonly metrics: BootMetrics;
}

/**
 * Answers router solicitations with the message that there is no IPv6 router (RFC 4861 section 4.2, lifetime 0, no prefix). Where
 * no router answers, iPXE waits 4 s in version 1.21, and 13 to 16 s in 1.0, before it continues.
 */
export class RouterAdvertiser {
  readonly #input: RouterAdvertiserInput;
  readonly #sockets: RouterDiscoverySocket[] = [];
  readonly #pending = new Map<RouterDiscoverySocket, () => void>();

  constructor(input: RouterAdvertiserInput) {
    this.#input = input;
  }

  async start(): Promise<void> {
    const { discovery, clock, config } = this.#input;
    for (const networkInterface of config.networkInterfaces) {
      let sentAtMs = Number.NEGATIVE_INFINITY;
      const socket: RouterDiscoverySocket = await discovery.open(networkInterface, () => {
        // A pending advertisement answers every host that asked meanwhile.
        if (this.#pending.has(socket)) return;
        const waitMs = Math.max(0, sentAtMs + INTERVAL_MS - clock.monotonicMs());
        const send = () => {
          this.#pending.delete(socket);
          sentAtMs = clock.monotonicMs();
          this.#send(socket);
        };
        if (waitMs === 0) send();
        else this.#pending.set(socket, clock.schedule(waitMs, send));
      });
      this.#sockets.push(socket);
    }
  }

  async stop(): Promise<void> {
    for (const cancel of this.#pending.values()) cancel();
    this.#pending.clear();
    for (const socket of this.#sockets.splice(0)) socket.close();
  }

  #send(socket: RouterDiscoverySocket): void {
    const { config, metrics } = this.#input;
    const isSent = socket.advertise(noRouterAdvertisement(config.hasDhcpv6));
    metrics.routerAdvertisements.add({ outcome: isSent ? 'sent' : 'failed' });
  }
}

/** Everything but type and flags is zero: unspecified, no lifetime, no options. */
export function noRouterAdvertisement(hasDhcpv6: boolean): Uint8Array {
  const message = new Uint8Array(ADVERTISEMENT_BYTES);
  message[0] = ROUTER_ADVERTISEMENT;
  message[FLAGS_OFFSET] = hasDhcpv6 ? OTHER_CONFIGURATION : 0;
  return message;
}
