/** A DHCP thread in the same thread, whose messages are cloned as between threads, and can be held back as by a busy main thread. */
import type { Datagram, Udp, UdpAddress } from '@tinkerbell/platform-contract';
import type { BootDeps } from '../config.ts';
import { createDhcpFront } from '../dhcp/thread/front.ts';
import type { DhcpOrder } from '../dhcp/thread/messages.ts';
import type { StartDhcpThread } from '../dhcp/thread/start-thread.ts';

export interface Sent {
  readonly bytes: Uint8Array;
  /** With the MAC before it, if it went in a frame. */
  readonly to: string;
}

export interface HeldThread {
  readonly start: StartDhcpThread;
  /** Its sockets, for DHCP without a thread. */
  readonly udp: Udp;
  readonly sent: readonly Sent[];
  /** Of the threads that were started, oldest first: ends one with an error. */
  readonly fail: readonly (() => void)[];
  /** On this port, or else on the one that was opened last. */
  receive(bytes: Uint8Array, peer: Datagram['peer'], port?: number): void;
  /** From now on, the main thread receives no reports. */
  hold(): void;
  /** Delivers the reports that were held back. */
  release(): void;
}

type Open = (options: Parameters<Udp['open']>[0]) => void;

/** `refuse` may throw the error of a port that cannot be opened. */
export function createHeldThread(clock: BootDeps['clock'], refuse: Open = () => undefined): HeldThread {
  const sent: Sent[] = [];
  const fail: (() => void)[] = [];
  let held: (() => void)[] | undefined;
  let lastPort = 0;
  const receivers = new Map<number, (datagram: Datagram) => void>();
  const put = (bytes: Uint8Array, to: string) => void sent.push({ bytes: bytes.slice(), to });
  const udp: Udp = {
    async open(options, handlers) {
      refuse(options);
      lastPort = options.port;
      receivers.set(lastPort, (datagram) => handlers.onDatagram(datagram));
      return {
        local: { address: options.address ?? '0.0.0.0', port: options.port },
        send: (bytes, to) => put(bytes, wordsOf(to)),
        sendRun: () => undefined,
        sendToMac: (bytes, to, mac) => (put(bytes, `${mac} ${wordsOf(to)}`), true),
        close: async () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
    networkInterfaces: () => [],
  };
  return {
    udp,
    sent,
    fail,
    start({ report, ended }) {
      fail.push(() => ended(new Error('out of memory')));
      const take = createDhcpFront({
        udp,
        clock,
        report(message) {
          const cloned = structuredClone(message);
          if (held === undefined) report(cloned);
          else held.push(() => report(cloned));
        },
      });
      return { order: (order: DhcpOrder) => take(structuredClone(order)), end: async () => undefined };
    },
    receive: (bytes, peer, port = lastPort) =>
      receivers.get(port)?.({ bytes, peer, networkInterface: undefined }),
    hold: () => void (held = []),
    release() {
      const reports = held ?? [];
      held = undefined;
      for (const deliver of reports) deliver();
    },
  };
}

function wordsOf({ address, port }: UdpAddress): string {
  return `${address}:${port}`;
}
