/**
 * Which stretch each lane of an agent fetches next, and from whom. It has no clock and no sockets: the caller says what time it is
 * and what happened.
 */
import { longestRuns, type ChunkRun } from './chunk-runs.ts';
import { KnownPeer } from './known-peer.ts';
import type { PeersAnswer } from './messages.ts';

/**
 * A lane waits so long for peers, which is longer than the time between two offers, and asks the server then. Peers that promise
 * everything and send nothing cost no more.
 */
const IDLE_MS_MAX = 1500;
const BUSY_MS = 200;
/** Peers of one address that may be dropped, before no other one of it is asked. */
const DROPS_PER_ADDRESS_MAX = 3;
/** Whoever meets so many wrong peers is better off without any. */
const DROPS_MAX = 64;

export type Step =
  | { readonly kind: 'server'; readonly index: number }
  | { readonly kind: 'peer'; readonly index: number; readonly peer: KnownPeer }
  | { readonly kind: 'wait' | 'end' };

export interface Lane {
  readonly number: number;
  /** Half of the lanes ask peers first. */
  readonly prefersPeers: boolean;
}

const OPEN = 0;
const TAKEN = 1;
const DONE = 2;

export class SharedWalk {
  readonly #starts: Uint32Array;
  readonly #random: () => number;
  readonly #states: Uint8Array;
  readonly #peers = new Map<string, KnownPeer>();
  /** By address. */
  readonly #drops = new Map<string, number>();
  readonly #dropped = new Set<string>();
  readonly #idleSinceMs = new Map<number, number>();
  #open: number;
  #next = 0;
  #isPlaced = false;

  /** `starts`: of a `ChunkTable`. `random`: from 0 up to 1. */
  constructor(starts: Uint32Array, random: () => number) {
    this.#starts = starts;
    this.#random = random;
    this.#open = starts.length - 1;
    this.#states = new Uint8Array(this.#open);
  }

  /** The first answer says where to begin. */
  heard({ place, peers }: PeersAnswer): void {
    if (!this.#isPlaced) this.#next = Math.floor(place * this.#states.length);
    this.#isPlaced = true;
    const offered = new Set<string>();
    for (const offer of peers) {
      const key = keyOf(offer);
      if (this.#isDropped(offer)) continue;
      offered.add(key);
      const peer = this.#peers.get(key) ?? this.#newPeer(offer);
      peer.offer(offer.have, this.#starts);
      this.#peers.set(key, peer);
    }
    for (const key of this.#peers.keys()) if (!offered.has(key)) this.#peers.delete(key);
  }

  next(lane: Lane, nowMs: number): Step {
    if (this.#open === 0) return { kind: 'end' };
    const step = this.#stepFor(lane, nowMs);
    if (!('index' in step)) return step;
    this.#idleSinceMs.delete(lane.number);
    this.#states[step.index] = TAKEN;
    this.#open -= 1;
    return step;
  }

  /** The disk has the stretch. */
  done(index: number): void {
    this.#states[index] = DONE;
  }

  delivered(peer: KnownPeer, nowMs: number): void {
    peer.released();
    peer.delivered(nowMs);
  }

  /** It has as many requests as it answers at once. The stretch stays with the lane. */
  busy(peer: KnownPeer, nowMs: number): void {
    peer.released();
    peer.busy(nowMs + BUSY_MS);
  }

  /** Wrong, slow or silent: it is not asked again. */
  drop(peer: KnownPeer): void {
    const { address } = peer;
    this.#dropped.add(keyOf(peer));
    this.#drops.set(address, (this.#drops.get(address) ?? 0) + 1);
    for (const [key, other] of this.#peers) if (this.#isDropped(other)) this.#peers.delete(key);
  }

  /** A lane returns what it could not get. */
  reopen(index: number): void {
    this.#states[index] = OPEN;
    this.#open += 1;
  }

  /** What other agents may ask for. */
  have(): readonly ChunkRun[] {
    const runs: [number, number][] = [];
    for (const [index, state] of this.#states.entries()) {
      if (state !== DONE) continue;
      const [start = 0, end = 0] = this.#starts.subarray(index, index + 2);
      const last = runs.at(-1);
      if (last !== undefined && last[0] + last[1] === start) last[1] += end - start;
      else runs.push([start, end - start]);
    }
    return longestRuns(runs);
  }

  isDone(index: number): boolean {
    return this.#states[index] === DONE;
  }

  #stepFor({ number, prefersPeers }: Lane, nowMs: number): Step {
    const idleSinceMs = this.#idleSinceMs.get(number) ?? nowMs;
    this.#idleSinceMs.set(number, idleSinceMs);
    const asksServer = !prefersPeers || this.#peers.size === 0;
    const step = asksServer ? (this.#unvouched(nowMs) ?? this.#fromPeer(nowMs)) : this.#fromPeer(nowMs);
    if (step !== undefined) return step;
    return nowMs - idleSinceMs >= IDLE_MS_MAX ? this.#anyOpen(nowMs) : { kind: 'wait' };
  }

  /** The next one in walking order that no peer has. */
  #unvouched(nowMs: number): Step | undefined {
    const peers = [...this.#peers.values()];
    return this.#fromServer((index) => !peers.some((peer) => peer.vouches(index, nowMs)));
  }

  #anyOpen(nowMs: number): Step {
    return this.#unvouched(nowMs) ?? this.#fromServer(() => true) ?? { kind: 'wait' };
  }

  #fromServer(isWanted: (index: number) => boolean): Step | undefined {
    const count = this.#states.length;
    for (let step = 0; step < count; step += 1) {
      const index = (this.#next + step) % count;
      if (this.#states[index] === OPEN && isWanted(index)) return { kind: 'server', index };
    }
    return undefined;
  }

  #fromPeer(nowMs: number): Step | undefined {
    const peers = [...this.#peers.values()];
    const from = Math.floor(this.#random() * peers.length);
    for (const peer of [...peers.slice(from), ...peers.slice(0, from)]) {
      const index = peer.take((one) => this.#states[one] === OPEN, nowMs);
      if (index !== undefined) return { kind: 'peer', index, peer };
    }
    return undefined;
  }

  #isDropped(peer: { readonly address: string; readonly port: number }): boolean {
    return (
      this.#dropped.has(keyOf(peer)) ||
      this.#dropped.size >= DROPS_MAX ||
      (this.#drops.get(peer.address) ?? 0) >= DROPS_PER_ADDRESS_MAX
    );
  }

  #newPeer(offer: PeersAnswer['peers'][number]): KnownPeer {
    const stretches = this.#states.length;
    return new KnownPeer(offer, { stretches, next: Math.floor(this.#random() * stretches) });
  }
}

function keyOf({ address, port }: { readonly address: string; readonly port: number }): string {
  return `${address} ${port}`;
}
