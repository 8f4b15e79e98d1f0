import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseMalformed } from './malformed-requests.ts';

/** Requests of one connection that may wait for earlier ones. The package manager of Debian sends 10 at once. */
export const PIPELINED_MAX = 32;

/** The requests of a connection that wait for earlier ones. One listener serves all of them. */
class Line {
  readonly #waiting = new Set<(hasTurn: boolean) => void>();
  /** The parser has stopped at a request that had no room. */
  hasEnded = false;

  get isFull(): boolean {
    return this.#waiting.size >= PIPELINED_MAX;
  }

  wait(outgoing: ServerResponse): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      outgoing.once('socket', () => {
        this.#waiting.delete(resolve);
        if (this.hasEnded && this.#waiting.size === 0) outgoing.shouldKeepAlive = false;
        resolve(true);
      });
    });
  }

  leave(): void {
    // Each in a callback of its own, because several of them may take long together.
    for (const resolve of this.#waiting) setImmediate(resolve, false);
    this.#waiting.clear();
  }
}

const lines = new WeakMap<Duplex, Line>();

/** The part of Node's parser that creates a request. A negative result ends the parser with HPE_CB_HEADERS_COMPLETE. */
interface Parser {
  onIncoming: (incoming: IncomingMessage, shouldKeepAlive: boolean) => number;
}

/**
 * Stops parsing a connection at the first request beyond `PIPELINED_MAX` that wait, and answers what is not HTTP. Every pipelined request of the
 * server must wait with `hasTurn`. `onFault` gets Node's code of the error, or `pipelined`.
 */
export function limitPipelining(server: Server, onFault: (reason: string) => void = () => undefined): void {
  const limit = (socket: Duplex): void => {
    const parser = parserOf(socket);
    if (parser === undefined) return;
    const line = new Line();
    lines.set(socket, line);
    socket.once('close', () => line.leave());
    const accept = parser.onIncoming;
    parser.onIncoming = (incoming, shouldKeepAlive) => {
      if (!line.isFull) return accept(incoming, shouldKeepAlive);
      line.hasEnded = true;
      onFault('pipelined');
      return -1;
    };
  };
  server.on('connection', limit);
  server.on('secureConnection', limit);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (lines.get(socket)?.hasEnded === true) return;
    onFault(error.code ?? 'malformed');
    refuseMalformed(error, socket);
  });
}

/** Undefined for a TLS connection that is not encrypted yet. */
function parserOf(socket: Duplex): Parser | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's types leave it out.
  return (socket as { readonly parser?: Parser }).parser;
}

/** Resolves when the earlier requests of the connection have been answered. Resolves with false when the connection ends before. */
export async function hasTurn({ socket }: IncomingMessage, outgoing: ServerResponse): Promise<boolean> {
  return socket.destroyed ? false : (lines.get(socket)?.wait(outgoing) ?? true);
}
