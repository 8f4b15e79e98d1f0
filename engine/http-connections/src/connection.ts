import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseMalformed } from './malformed-requests.ts';
import { parserOf, type Parser } from './parser.ts';
import { RequestLine } from './request-line.ts';
import { HPE_PAUSED, isChunked, joinChunks, SlicedReads } from './sliced-reads.ts';

type OnFault = (reason: string) => void;

const STACK_FRAMES = Error.stackTraceLimit;

/** Between Node's parser and the server, for one connection. */
class Connection {
  readonly line = new RequestLine();
  readonly #socket: Duplex;
  readonly #parser: Parser;
  readonly #onFault: OnFault;
  #isSliced = false;
  #isRefused = false;

  constructor(socket: Duplex, parser: Parser, onFault: OnFault) {
    this.#socket = socket;
    this.#parser = parser;
    this.#onFault = onFault;
    // Node creates an error for each request of a lost connection. Their stacks, which nobody reads, take two thirds of the time.
    socket.prependOnceListener('close', () => void (Error.stackTraceLimit = 0));
    socket.once('close', () => {
      Error.stackTraceLimit = STACK_FRAMES;
      this.line.leave();
    });
    const accept = parser.onIncoming;
    parser.onIncoming = (incoming, shouldKeepAlive) => {
      if (this.line.isFull) {
        this.line.hasEnded = true;
        onFault('pipelined');
        return -1;
      }
      const hasChunks = isChunked(incoming);
      if (hasChunks) joinChunks(incoming);
      const result = accept(incoming, shouldKeepAlive);
      return result === 0 && hasChunks && !this.#isSliced ? HPE_PAUSED : result;
    };
  }

  /** The parser has stopped or paused. It stops again at whatever the client still sends. */
  failed(error: NodeJS.ErrnoException): void {
    if (this.line.hasEnded || this.#isRefused) return;
    if (error.code === 'HPE_PAUSED' && !this.#isSliced) {
      this.#isSliced = true;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What Node adds to each error of its parser.
      return new SlicedReads(this.#socket, this.#parser).begin(error as unknown as PausedError);
    }
    this.#isRefused = true;
    this.#onFault(error.code ?? 'malformed');
    refuseMalformed(error, this.#socket);
  }
}

interface PausedError {
  readonly rawPacket: Buffer;
  readonly bytesParsed: number;
}

const connections = new WeakMap<Duplex, Connection>();

/**
 * Limits what the requests of one packet cost: how many of a connection wait, and the chunks of their bodies that are parsed in a turn of the event
 * loop. Answers what is not HTTP. Every pipelined request of the server must wait with `hasTurn`. `onFault` gets Node's code of the error, or
 * `pipelined`.
 */
export function limitRequests(server: Server, onFault: OnFault = () => undefined): void {
  const limit = (socket: Duplex): void => {
    const parser = parserOf(socket);
    if (parser !== undefined) connections.set(socket, new Connection(socket, parser, onFault));
  };
  server.on('connection', limit);
  server.on('secureConnection', limit);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket);
    if (connection !== undefined) return connection.failed(error);
    // It has no parser yet, because TLS has failed.
    onFault(error.code ?? 'malformed');
    socket.destroy();
  });
}

/** Resolves when the earlier requests of the connection have been answered. Resolves with false when the connection ends before. */
export async function hasTurn({ socket }: IncomingMessage, outgoing: ServerResponse): Promise<boolean> {
  return socket.destroyed ? false : (connections.get(socket)?.line.wait(outgoing) ?? true);
}
