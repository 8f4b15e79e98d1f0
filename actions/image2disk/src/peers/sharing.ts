/** Everything that an action needs to exchange chunks with other agents. */
import { randomInt } from 'node:crypto';
import type { RangeRequest } from '@tinkerbell/action-kit';
import { ASK_EVERY_MS, SendBudget, SharedWalk, type ChunkTable, type KnownPeer } from '@tinkerbell/images';
import { delay, messageOf } from '@tinkerbell/platform-contract';
import type { ChunkDisk } from '../chunked/chunk-disk.ts';
import type { ChunkThreads } from '../chunked/chunk-threads.ts';
import type { RegistryImage } from '../chunked/registry-image.ts';
import { askServer, NoPeersHere } from './ask-server.ts';
import { fetchFromPeer, peerConnections, type Fetched } from './fetch-from-peer.ts';
import { PeerServer } from './peer-server.ts';

const RANDOM_STEPS = 2 ** 32;

export interface SharingOrder {
  readonly registry: RegistryImage;
  readonly disk: ChunkDisk;
  readonly threads: ChunkThreads;
  /** Of the manifest. */
  readonly request: RangeRequest;
  readonly table: ChunkTable;
}

export class Sharing {
  readonly walk: SharedWalk;
  readonly table: ChunkTable;
  readonly #order: SharingOrder;
  readonly #budget = new SendBudget();
  readonly #connections = peerConnections();
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  /** The present one first. */
  #secrets: readonly string[] = [];
  /** Reported with the next request. */
  #receivedBytes = 0;
  #server: PeerServer | undefined;
  #asking: Promise<void> = Promise.resolve();

  private constructor(order: SharingOrder) {
    this.#order = order;
    this.table = order.table;
    this.#signal = AbortSignal.any([order.request.signal, this.#ended.signal]);
    // Spreads the requests of several agents.
    this.walk = new SharedWalk(order.table.starts, () => randomInt(RANDOM_STEPS) / RANDOM_STEPS);
  }

  /** Resolves after the first answer of the server, which says where to begin. Without an answer the agent works alone. */
  static async open(order: SharingOrder): Promise<Sharing> {
    const sharing = new Sharing(order);
    await sharing.#begin();
    return sharing;
  }

  async fetch(
    peer: KnownPeer,
    { number, target, diskLength }: { number: number; target: Uint8Array; diskLength: number },
  ): Promise<Fetched> {
    const { signal } = this.#order.request;
    const [secret = ''] = this.#secrets;
    const agent = this.#connections;
    const fetched = await fetchFromPeer({ peer, number, target, diskLength, secret, agent, signal });
    if (fetched.kind === 'bytes') {
      this.#receivedBytes += fetched.length;
      this.received(fetched.length);
    }
    return fetched;
  }

  /** From the server or a peer: it sets how fast this agent sends. */
  received(bytes: number): void {
    this.#budget.received(bytes, this.#order.request.clock.monotonicMs());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#server?.[Symbol.asyncDispose]();
    await this.#asking;
    this.#connections.destroy();
  }

  async #begin(): Promise<void> {
    const { disk, threads, request } = this.#order;
    const { clock, log } = request;
    try {
      this.#server = await PeerServer.open({
        disk,
        threads,
        clock,
        budget: this.#budget,
        signal: this.#signal,
        secrets: () => this.#secrets,
        chunkAt: (number) => (this.#isWritten(number) ? this.table.chunkAt(number) : undefined),
      });
      if (await this.#ask(this.#server.port)) this.#asking = this.#askAgain(this.#server.port);
    } catch (error) {
      log.debug('no chunks are exchanged with other agents', { reason: messageOf(error) });
    }
  }

  async #askAgain(port: number): Promise<void> {
    const signal = this.#signal;
    while (!signal.aborted) {
      await delay(this.#order.request.clock, ASK_EVERY_MS, signal);
      if (signal.aborted || !(await this.#ask(port))) return;
    }
  }

  /** Returns false when it makes no sense to ask again. */
  async #ask(port: number): Promise<boolean> {
    const { registry, request } = this.#order;
    const receivedBytes = this.#receivedBytes;
    try {
      const asked = { image: registry.digest, port, have: this.walk.have(), receivedBytes };
      const answer = await askServer(request.url, asked, this.#signal);
      this.#receivedBytes -= receivedBytes;
      const [present] = this.#secrets;
      if (answer.secret !== present) this.#secrets = [answer.secret, ...this.#secrets].slice(0, 2);
      this.walk.heard(answer);
      return true;
    } catch (error) {
      if (!this.#ended.signal.aborted)
        request.log.debug('the server names no other agents', { reason: messageOf(error) });
      return !(error instanceof NoPeersHere);
    }
  }

  #isWritten(number: number): boolean {
    const index = this.table.stretchOf(number);
    return index !== undefined && this.walk.isDone(index);
  }
}
