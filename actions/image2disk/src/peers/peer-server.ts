/** Serves the chunks that the disk has to other agents that may pull the image. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { SECRET_HEADER, type PlacedChunk, type SendBudget } from '@tinkerbell/images';
import { hexOf } from '@tinkerbell/oci';
import { delay, type Clock } from '@tinkerbell/platform-contract';
import type { ChunkDisk } from '../chunked/chunk-disk.ts';
import type { ChunkThreads, Slot } from '../chunked/chunk-threads.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

export const CHUNKS_PATH = '/chunks/';
/** A client that takes longer to read a chunk has no use of a peer. */
const ANSWER_MS_MAX = 5000;
const REQUEST_MS_MAX = 2000;
const HEADER_BYTES_MAX = 2048;
const CONNECTIONS_MAX = 128;
const CONNECTIONS_PER_ADDRESS_MAX = 16;

export interface PeerServerParts {
  readonly disk: ChunkDisk;
  /** Has a serving slot for each answer at once. */
  readonly threads: ChunkThreads;
  readonly budget: SendBudget;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The present one and the one before. */
  secrets(): readonly string[];
  /** Undefined for a chunk that the disk does not have yet. */
  chunkAt(number: number): PlacedChunk | undefined;
}

export class PeerServer {
  readonly #parts: PeerServerParts;
  readonly #server: Server;
  readonly #free: Slot[];
  readonly #answers = new Set<Promise<void>>();

  private constructor(parts: PeerServerParts) {
    this.#parts = parts;
    this.#free = [...parts.threads.servingSlots];
    this.#server = nodeHttp.createServer(
      { maxHeaderSize: HEADER_BYTES_MAX, requestTimeout: REQUEST_MS_MAX, connectionsCheckingInterval: 1000 },
      (request, response) => {
        const answer = this.#answer(request, response).catch(() => void response.destroy());
        this.#answers.add(answer);
        void answer.finally(() => this.#answers.delete(answer));
      },
    );
    this.#server.maxConnections = CONNECTIONS_MAX;
    limitPerAddress(this.#server);
  }

  /** Rejects when there is no port. */
  static async open(parts: PeerServerParts): Promise<PeerServer> {
    const opened = new PeerServer(parts);
    await new Promise<void>((resolve, reject) => {
      opened.#server.once('error', reject).listen(0, resolve);
    });
    return opened;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all(this.#answers);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const end = (status: number): void => void response.writeHead(status).end();
    if (!this.#knows(String(request.headers[SECRET_HEADER] ?? ''))) return end(403);
    if (request.method !== 'GET') return end(405);
    const chunk = this.#parts.chunkAt(numberIn(request));
    if (chunk === undefined) return end(404);
    const slot = this.#free.pop();
    if (slot === undefined) return end(503);
    try {
      await this.#send(response, { chunk, slot });
    } finally {
      this.#free.push(slot);
    }
  }

  #knows(text: string): boolean {
    const given = Buffer.from(text);
    return this.#parts
      .secrets()
      .map((secret) => Buffer.from(secret))
      .some((secret) => secret.length === given.length && timingSafeEqual(secret, given));
  }

  /** What the disk returns is compared again, because a disk may lie. */
  async #send(
    response: ServerResponse,
    { chunk, slot }: { readonly chunk: PlacedChunk; readonly slot: Slot },
  ): Promise<void> {
    const { disk, threads, budget, clock, signal } = this.#parts;
    const found = await disk.read(slot.disk, chunk.diskOffset, chunk.diskLength);
    const { sha256, packedBytes } = await threads.pack(slot, found.length);
    if (found.length !== chunk.diskLength || sha256 !== hexOf(chunk.stored.digest) || packedBytes === 0) {
      response.writeHead(404).end();
      return;
    }
    const waitMs = budget.waitMs(packedBytes, clock.monotonicMs());
    if (waitMs > 0) await delay(clock, waitMs, signal);
    const cancel = clock.schedule(ANSWER_MS_MAX, () => response.destroy());
    try {
      response.writeHead(200, { 'content-length': packedBytes });
      response.end(slot.packed.subarray(0, packedBytes));
      // The slot is free again when the kernel has its bytes.
      await finished(response);
    } finally {
      cancel();
    }
  }
}

function numberIn({ url }: IncomingMessage): number {
  const digits = url?.startsWith(CHUNKS_PATH) === true ? url.slice(CHUNKS_PATH.length) : '';
  return /^\d{1,7}$/.test(digits) ? Number(digits) : -1;
}

function limitPerAddress(server: Server): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const count = (open.get(remoteAddress) ?? 0) + 1;
    open.set(remoteAddress, count);
    socket.once('close', () => {
      const left = (open.get(remoteAddress) ?? 0) - 1;
      if (left > 0) open.set(remoteAddress, left);
      else open.delete(remoteAddress);
    });
    if (count > CONNECTIONS_PER_ADDRESS_MAX) socket.destroy();
  });
}
