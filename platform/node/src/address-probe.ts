/**
 * Probes addresses by ICMP echo through a raw socket, and by the ARP entries that result: a host that drops echoes still answers
 * ARP. Linux only, with CAP_NET_RAW. Elsewhere no host is ever found.
 */
import { readFile } from 'node:fs/promises';
import type { AddressHolder, AddressProbe } from '@tinkerbell/platform-contract';
import { cLibrary, type CLibrary } from './c-library.ts';
import { echoReplyOf, echoRequest } from './icmp-echo.ts';
import { socketAddress } from './socket-address.ts';
import { AF_INET, SOCK_RAW_NONBLOCK_CLOEXEC } from './socket-numbers.ts';

const IPPROTO_ICMP = 1;
/** Node has no events for this socket, so it is polled at this interval while probes wait. */
const POLL_MS = 10;
/** A loaded host may receive many echoes meant for others. The rest waits for the next turn. */
const PACKETS_PER_POLL = 64;
const PACKET_BYTES_MAX = 1500;
/** /proc/net/arp: the entry is complete. */
const ARP_COMPLETE = 2;

interface Waiting {
  readonly address: string;
  answered(): void;
}

export function createNodeAddressProbe(): AddressProbe & { close(): void } {
  const prober = new Prober();
  return {
    holderOf: (address, timeoutMs) => prober.holderOf(address, timeoutMs),
    close: () => prober.close(),
  };
}

class Prober {
  readonly #identifier = process.pid & 0xffff;
  readonly #waiting = new Map<number, Waiting>();
  readonly #packet = new Uint8Array(PACKET_BYTES_MAX);
  #library: CLibrary | undefined;
  #fd: number | undefined;
  #sequence = 0;
  #timer: NodeJS.Timeout | undefined;

  async holderOf(address: string, timeoutMs: number): Promise<AddressHolder | undefined> {
    if (process.platform !== 'linux') return undefined;
    this.#library ??= await cLibrary();
    this.#fd ??= this.#library.socket(AF_INET, SOCK_RAW_NONBLOCK_CLOEXEC, IPPROTO_ICMP);
    if (this.#fd < 0) return undefined;
    const before = await arpEntry(address);
    const isAnswered = await this.#echo(this.#library, address, timeoutMs);
    const after = await arpEntry(address);
    if (isAnswered) return after === undefined ? {} : { mac: after };
    // An earlier entry may belong to a host that is gone. A new one proves an answer of just now.
    return before === undefined && after !== undefined ? { mac: after } : undefined;
  }

  #echo(library: CLibrary, address: string, timeoutMs: number): Promise<boolean> {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const sequence = this.#sequence;
    return new Promise((resolve) => {
      const settle = (isAnswered: boolean) => {
        clearTimeout(timeout);
        this.#waiting.delete(sequence);
        if (this.#waiting.size === 0) this.#stopPolling();
        resolve(isAnswered);
      };
      const timeout = setTimeout(() => settle(false), timeoutMs);
      this.#waiting.set(sequence, { address, answered: () => settle(true) });
      const bytes = echoRequest({ identifier: this.#identifier, sequence });
      const sent = library.sendTo(this.#fd ?? -1, { bytes, to: socketAddress(address, 0) });
      if (sent < 0) return settle(false);
      this.#timer ??= setInterval(() => this.#poll(library), POLL_MS);
    });
  }

  #poll(library: CLibrary): void {
    for (let count = 0; count < PACKETS_PER_POLL; count++) {
      const length = library.receive(this.#fd ?? -1, this.#packet);
      if (length < 0) return;
      const reply = echoReplyOf(this.#packet.subarray(0, length));
      if (reply?.identifier !== this.#identifier) continue;
      const waiting = this.#waiting.get(reply.sequence);
      if (waiting?.address === reply.from) waiting.answered();
    }
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.#stopPolling();
    if (this.#fd !== undefined && this.#fd >= 0) this.#library?.close(this.#fd);
    this.#fd = undefined;
  }
}

/** Returns the kernel's MAC for an address on a link. Returns undefined when it has none. */
async function arpEntry(address: string): Promise<string | undefined> {
  const table = await readFile('/proc/net/arp', 'utf8').catch(() => '');
  for (const line of table.split('\n').slice(1)) {
    const [entry, , flags = '0', mac] = line.trim().split(/\s+/);
    if (entry === address && (Number(flags) & ARP_COMPLETE) !== 0) return mac;
  }
  return undefined;
}
