/**
 * Fetches ranges over plain HTTP so that the kernel writes them where they are wanted. Node's client makes a buffer and calls a dozen
 * functions for every 64 KiB, which takes a third of the time to write an image.
 */
import type { Socket } from 'node:net';
import { agentSession, DroppedError } from '@tinkerbell/action-kit';
import { bodyStart, HEAD_BYTES_MAX } from './range-head.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeNet = process.getBuiltinModule('node:net');

/** A connection without data for this long is closed and replaced. */
const STALL_MS = 20_000;
/** A server may close a connection without a request. */
const IDLE_MS_MAX = 1000;
const HTTP_PORT = 80;

export interface WantedBytes {
  readonly url: URL;
  /** In the file. */
  readonly first: number;
  readonly target: Uint8Array;
  readonly signal: AbortSignal;
  /** Called for bytes that are in `target`, in their order. */
  arrived(count: number): void;
}

/** Returned when a server sends ranges in another way, or not at all. Nothing has arrived. */
export const DECLINED = Symbol('declined');

export class RangeConnections {
  readonly #idle: RangeConnection[] = [];
  /** For the rest of the image: another request would be as useless as this one. */
  #isDeclined = false;

  /** Resolves when `target` is full. Rejects when the connection breaks before. */
  async fetch(wanted: WantedBytes): Promise<typeof DECLINED | undefined> {
    if (this.#isDeclined || wanted.url.protocol !== 'http:') return DECLINED;
    const connection = this.#take(wanted.url);
    const end = await connection.fetch(wanted);
    if (end === DECLINED) this.#isDeclined = true;
    else this.#idle.push(connection);
    return end;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#idle) connection.close();
  }

  #take(url: URL): RangeConnection {
    for (let known = this.#idle.pop(); known !== undefined; known = this.#idle.pop()) {
      if (known.isUsableFor(url)) return known;
      known.close();
    }
    return new RangeConnection(url);
  }
}

interface Filling extends WantedBytes {
  done: number;
  isHead: boolean;
  resolve(end?: typeof DECLINED): void;
  reject(error: Error): void;
}

class RangeConnection {
  readonly #host: string;
  readonly #socket: Socket;
  readonly #head = Buffer.alloc(HEAD_BYTES_MAX);
  #headLength = 0;
  #filling: Filling | undefined;
  #usedMs = performance.now();

  constructor({ host, hostname, port }: URL) {
    this.#host = host;
    this.#socket = nodeNet.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? HTTP_PORT : Number(port),
      noDelay: true,
      onread: { buffer: () => this.#room(), callback: (count) => this.#read(count) },
    });
    this.#socket.setTimeout(STALL_MS, () => this.#end(new DroppedError(`no data for ${STALL_MS / 1000} s`)));
    this.#socket.on('error', (error) => this.#end(error));
    this.#socket.on('close', () => this.#end(new DroppedError('the connection ended')));
  }

  isUsableFor({ host }: URL): boolean {
    const { destroyed, readyState } = this.#socket;
    const isOpen = !destroyed && readyState === 'open';
    return isOpen && host === this.#host && performance.now() - this.#usedMs < IDLE_MS_MAX;
  }

  close(): void {
    this.#socket.destroy();
  }

  fetch(wanted: WantedBytes): Promise<typeof DECLINED | undefined> {
    const { url, first, target, signal } = wanted;
    const stop = (): void => this.#end(new Error('stopped'));
    signal.addEventListener('abort', stop, { once: true });
    const filled = new Promise<typeof DECLINED | undefined>((resolve, reject) => {
      this.#headLength = 0;
      this.#filling = { ...wanted, done: 0, isHead: true, resolve, reject };
      const fields = {
        Host: url.host,
        'Accept-Encoding': 'identity',
        Range: `bytes=${first}-${first + target.length - 1}`,
        ...agentSession.headersFor(url),
      };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      this.#socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
      if (signal.aborted) stop();
    });
    return filled.finally(() => signal.removeEventListener('abort', stop));
  }

  /** Where the kernel writes next. */
  #room(): Uint8Array {
    const filling = this.#filling;
    if (filling === undefined || filling.isHead) return this.#head.subarray(this.#headLength);
    return filling.target.subarray(filling.done);
  }

  /** Returns false to stop reading. */
  #read(count: number): boolean {
    const filling = this.#filling;
    // Nothing was asked for.
    if (filling === undefined) this.close();
    else if (filling.isHead) this.#readHead(filling, count);
    else this.#readBody(filling, count);
    return !this.#socket.destroyed;
  }

  #readHead(filling: Filling, count: number): void {
    this.#headLength += count;
    const head = this.#head.subarray(0, this.#headLength);
    const { first, target } = filling;
    const start = bodyStart(head, { first, length: target.length });
    if (start === 'more') return;
    const body = start === 'other' ? undefined : head.subarray(start);
    if (body === undefined || body.length > target.length) {
      this.close();
      this.#filling = undefined;
      return filling.resolve(DECLINED);
    }
    filling.isHead = false;
    target.set(body);
    this.#readBody(filling, body.length);
  }

  #readBody(filling: Filling, count: number): void {
    filling.done += count;
    filling.arrived(count);
    if (filling.done < filling.target.length) return;
    this.#filling = undefined;
    this.#headLength = 0;
    this.#usedMs = performance.now();
    filling.resolve();
  }

  #end(error: Error): void {
    this.#socket.destroy();
    this.#filling?.reject(error);
    this.#filling = undefined;
  }
}
