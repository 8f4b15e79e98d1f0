import { WholeResponse } from './whole-response.ts';

/** One connection of a WebSocket (RFC 6455). */
export interface MessageSocket {
  /** Sends a binary message. */
  send(bytes: Uint8Array): void;
  /** What the client has not taken yet. */
  readonly unreadBytes: number;
  /** Text arrives as UTF-8. The messages are handled in order: the next one waits for the promise. */
  onMessage(handle: (bytes: Uint8Array) => Promise<void>): void;
  /** `reason` has at most 123 bytes. Codes: RFC 6455, section 7.4. */
  close(code: number, reason: string): void;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
}

export interface WebSocketOptions {
  /** The subprotocol that is used, one of those that the client offered. */
  readonly protocol?: string | undefined;
  /** A longer message ends the connection. */
  readonly messageBytesMax: number;
}

/** The answer that makes a connection a WebSocket. A request that does not ask for one gets 426. */
export class WebSocketResponse extends WholeResponse {
  readonly options: WebSocketOptions;
  readonly serve: (socket: MessageSocket) => void;

  constructor(options: WebSocketOptions, serve: (socket: MessageSocket) => void) {
    super('this path is a WebSocket\n', {
      status: 426,
      headers: { upgrade: 'websocket', connection: 'upgrade, close', 'content-type': 'text/plain' },
    });
    this.options = options;
    this.serve = serve;
  }
}

/** The subprotocols that a request offers, in its order. */
export function offeredProtocols(headers: { get(name: string): string | null }): readonly string[] {
  return (headers.get('sec-websocket-protocol') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}
