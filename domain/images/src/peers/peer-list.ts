/** The agents that write an image at this moment, as the server knows them. */
import type { Digest } from '@tinkerbell/oci';
import { beginPlace } from './begin-place.ts';
import { PEERS_MAX, type OfferedPeer, type PeersAnswer, type PeersRequest } from './messages.ts';

/** An agent asks once a second, so it missed four requests. */
const ENTRY_MS = 5000;
const IMAGES_MAX = 64;
const ENTRIES_PER_IMAGE_MAX = 256;
/** All entries take about 5 MB. */
const ENTRIES_MAX = 4096;
/** One machine writes to a few disks at once. Others behind its address are a network of their own. */
const ENTRIES_PER_ADDRESS_MAX = 16;
const SWEEP_EVERY_MS = 1000;

interface Entry extends OfferedPeer {
  readonly number: number;
  readonly isLoopback: boolean;
  readonly untilMs: number;
}

interface ImageEntries {
  readonly secret: string;
  readonly entries: Map<string, Entry>;
}

/** Where the request came from, as the socket reports it. */
export interface PeerOrigin {
  readonly address: string;
  readonly isLoopback: boolean;
  readonly nowMs: number;
}

interface PeerListParts {
  /** 32 bytes as hexadecimal digits. */
  secret(): string;
  /** From 0 up to 1. */
  random(): number;
}

export class PeerList {
  readonly #images = new Map<Digest, ImageEntries>();
  readonly #parts: PeerListParts;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(parts: PeerListParts) {
    this.#parts = parts;
  }

  /** Enters the agent, and returns undefined when a limit leaves no place for it. */
  ask(request: PeersRequest, origin: PeerOrigin): PeersAnswer | undefined {
    this.#sweep(origin.nowMs);
    const key = `${origin.address} ${request.port}`;
    const known = this.#images.get(request.image);
    const old = known?.entries.get(key);
    if (old === undefined && !this.#hasRoom(known, origin.address)) return undefined;
    const image = known ?? { secret: this.#parts.secret(), entries: new Map<string, Entry>() };
    this.#images.set(request.image, image);
    const number = old?.number ?? freeNumber(image.entries);
    image.entries.set(key, {
      address: origin.address,
      port: request.port,
      have: request.have,
      number,
      isLoopback: origin.isLoopback,
      untilMs: origin.nowMs + ENTRY_MS,
    });
    return { place: beginPlace(number), secret: image.secret, peers: this.#others(image, key, origin) };
  }

  /** The agents of all images. */
  count(nowMs: number): number {
    this.#sweep(nowMs);
    return this.#all().length;
  }

  #all(): readonly Entry[] {
    return [...this.#images.values()].flatMap(({ entries }) => [...entries.values()]);
  }

  #hasRoom(image: ImageEntries | undefined, address: string): boolean {
    const all = this.#all();
    return (
      all.length < ENTRIES_MAX &&
      all.filter((entry) => entry.address === address).length < ENTRIES_PER_ADDRESS_MAX &&
      (image === undefined ? this.#images.size < IMAGES_MAX : image.entries.size < ENTRIES_PER_IMAGE_MAX)
    );
  }

  /** From a random one on, so that no agent is asked by all others. */
  #others({ entries }: ImageEntries, key: string, origin: PeerOrigin): readonly OfferedPeer[] {
    const others = [...entries]
      // An agent beside the server has an address that means another machine elsewhere.
      .filter(([other, entry]) => other !== key && entry.isLoopback === origin.isLoopback)
      .map(([, { address, port, have }]) => ({ address, port, have }));
    const from = Math.floor(this.#parts.random() * others.length);
    return [...others.slice(from), ...others.slice(0, from)].slice(0, PEERS_MAX);
  }

  /** The list of an image without agents ends, and with it its secret. */
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweptMs + SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    for (const [digest, { entries }] of this.#images) {
      for (const [key, { untilMs }] of entries) if (untilMs <= nowMs) entries.delete(key);
      if (entries.size === 0) this.#images.delete(digest);
    }
  }
}

/** An agent that comes back begins where its place is free. */
function freeNumber(entries: ReadonlyMap<string, Entry>): number {
  const taken = new Set([...entries.values()].map(({ number }) => number));
  let number = 0;
  while (taken.has(number)) number += 1;
  return number;
}
