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
/** Agents that began together have something to offer by then. */
const NEW_MS = 3000;
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
  /** How many there are. */
  readonly of: number;
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
  #beganMs = Number.POSITIVE_INFINITY;
  #deliveredMs = Number.NEGATIVE_INFINITY;
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
    this.#beganMs = Math.min(this.#beganMs, nowMs);
    const step = this.#stepFor(lane, nowMs);
    if (!('index' in step)) return step;
    this.#idleSinceMs.delete(lane.number);
    this.#states[step.index] = TAKEN;
    this.#open -= 1;
    return step;
  }

  /**
   * Also takes the next stretch of the walk, for a request to the server that has begun. Returns false when another lane has it, or
   * when there are peers, who may send it.
   */
  takeAlso(index: number): boolean {
    if (this.#peers.size > 0 || index !== this.#next || this.#states[index] !== OPEN) return false;
    this.#next = index + 1;
    this.#states[index] = TAKEN;
    this.#open -= 1;
    return true;
  }

  /** The disk has the stretch. */
  done(index: number): void {
    this.#states[index] = DONE;
  }

  delivered(peer: KnownPeer, nowMs: number): void {
    this.#deliveredMs = nowMs;
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
    // Two requests to it may end at once.
    if (this.#dropped.has(keyOf(peer))) return;
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

  #stepFor(lane: Lane, nowMs: number): Step {
    const { number } = lane;
    if (!this.#idleSinceMs.has(number)) this.#idleSinceMs.set(number, nowMs);
    const step = this.#asksServer(lane, nowMs)
      ? (this.#unvouched(nowMs) ?? this.#fromPeer(nowMs))
      : this.#fromPeer(nowMs);
    return step ?? this.#idle(lane, nowMs);
  }

  /**
   * The agents together keep the link of the server busy. More requests than that only wait there, and others ask for the same
   * stretches meanwhile. So an agent with more peers has fewer of them.
   */
  #asksServer({ number, of }: Lane, nowMs: number): boolean {
    const peers = [...this.#peers.values()];
    const counted = this.#isNew(nowMs) ? peers : peers.filter(({ hasAny }) => hasAny);
    return number < of / (1 + counted.length);
  }

  /** Nobody has much yet. */
  #isNew(nowMs: number): boolean {
    return nowMs < this.#beganMs + NEW_MS;
  }

  /** Several lanes ask the server at once only when nothing comes from peers. */
  #idle(lane: Lane, nowMs: number): Step {
    if (nowMs - (this.#idleSinceMs.get(lane.number) ?? nowMs) < IDLE_MS_MAX) return { kind: 'wait' };
    if (this.#isNew(nowMs) || nowMs < this.#deliveredMs + IDLE_MS_MAX)
      for (const number of this.#idleSinceMs.keys()) this.#idleSinceMs.set(number, nowMs);
    return this.#anyOpen(nowMs);
  }

  /** One that no peer has: the next one of the walk, and where another agent walks already, any one. */
  #unvouched(nowMs: number): Step | undefined {
    const peers = [...this.#peers.values()].filter((peer) => peer.isProven(nowMs));
    const isWanted = (index: number): boolean => !peers.some((peer) => peer.vouches(index, nowMs));
    return this.#fromServer(isWanted);
  }

  #anyOpen(nowMs: number): Step {
    return this.#unvouched(nowMs) ?? this.#fromServer(() => true) ?? { kind: 'wait' };
  }

  #fromServer(isWanted: (index: number) => boolean): Step | undefined {
    const isFree = (index: number): boolean => this.#states[index] === OPEN && isWanted(index);
    const count = this.#states.length;
    let index = this.#next % count;
    if (!isFree(index)) {
      const free = Array.from(this.#states.keys()).filter(isFree);
      const [found] = free.slice(Math.floor(this.#random() * free.length));
      if (found === undefined) return undefined;
      index = found;
    }
    this.#next = index + 1;
    return { kind: 'server', index };
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
