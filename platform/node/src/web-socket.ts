/** Serves requests that ask for a WebSocket. The handler of HTTP decides as for every other request. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { MessageSocket, WebSocketResponse } from '@tinkerbell/platform-contract';
import type { WebSocket } from 'ws';
import { nodeHttp } from './node-http.ts';

/** Answers one request on a connection that Node has taken from HTTP. */
type AnswerUpgrade = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  accept: (response: WebSocketResponse) => Promise<void>,
) => Promise<void>;

/** Other upgrades, such as h2c, are answered as if they had not been asked for. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

export class WebSockets {
  readonly #open = new Set<WebSocket>();

  /** Takes the requests of this server. `answer` sends every other answer itself. */
  serve(server: Server, answer: AnswerUpgrade): void {
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => undefined);
      const outgoing = new nodeHttp.ServerResponse(incoming);
      outgoing.assignSocket(incoming.socket);
      // Otherwise a client that never closes its side would keep the connection.
      outgoing.once('finish', () => incoming.socket.destroySoon());
      outgoing.setHeader('connection', 'close');
      void answer(incoming, outgoing, (response) => {
        outgoing.detachSocket(incoming.socket);
        return this.#accept(response, { incoming, socket, head });
      });
    });
  }

  closeAll(): void {
    for (const one of this.#open) one.terminate();
  }

  async #accept(
    response: WebSocketResponse,
    { incoming, socket, head }: { incoming: IncomingMessage; socket: Duplex; head: Buffer },
  ): Promise<void> {
    const { protocol, messageBytesMax } = response.options;
    // Few servers are ever asked for a WebSocket.
    const { WebSocketServer } = await import('ws');
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: messageBytesMax,
      handleProtocols: () => protocol ?? false,
    });
    server.handleUpgrade(incoming, socket, head, (opened) => {
      this.#open.add(opened);
      opened.once('close', () => this.#open.delete(opened));
      response.serve(new NodeMessageSocket(opened));
    });
  }
}

class NodeMessageSocket implements MessageSocket {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  #handled: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
  }

  get unreadBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(bytes: Uint8Array): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(bytes, { binary: true });
  }

  onMessage(handle: (bytes: Uint8Array) => Promise<void>): void {
    this.#socket.on('message', (data: Buffer) => {
      this.#socket.pause();
      this.#handled = this.#handled
        .then(() => handle(data))
        .catch(() => undefined)
        .then(() => this.#socket.resume());
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}
