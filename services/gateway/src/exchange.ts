/** One request of a client and the means to answer it, the same for HTTP/1.1 and HTTP/2. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Readable, Writable } from 'node:stream';
import { connectionFactsOf, type ConnectionFacts } from './connection-facts.ts';
import type { ClientCall } from './client-call.ts';
import type { HeaderFields } from './header-fields.ts';
import { repeatedField } from './repeated-field.ts';
import type { RequestHead } from './request-head.ts';

export interface Exchange extends ConnectionFacts {
  readonly protocol: 'HTTP/1.1' | 'HTTP/2';
  readonly method: string;
  /** Host and port as the client wrote them. */
  readonly authority: string;
  readonly target: string;
  readonly fields: HeaderFields;
  /** Absent: the request has no body. */
  readonly body?: Readable | undefined;
  /** Present for HTTP/2: the same request, when its body is relayed as frames. Then nobody may read `body`. */
  readonly call?: ClientCall;
  /** Present for HTTP/2. Requests with the same header fields share it, on their connection. */
  readonly head?: RequestHead;
  /** The reason that the request must not reach any upstream. */
  readonly problem?: string | undefined;
  /**
   * Sends status and header fields. Returns the destination of the body, or undefined when there is none to send. `trailers` is
   * called when the body has ended, by HTTP/2 only.
   */
  respond(head: ResponseHead): Writable | undefined;
  readonly isAnswered: boolean;
  /**
   * Present when the client asks for a WebSocket. Accepts it with these fields, and returns the client's connection. Any other
   * answer ends the connection.
   */
  readonly acceptWebSocket?: (fields: HeaderFields) => Duplex;
  /** Calls back once, when the client has disconnected or everything was sent. */
  onClosed(task: () => void): void;
  /** Aborts the response at once, so that the client knows that it is incomplete. */
  abort(): void;
}

export interface ResponseHead {
  readonly status: number;
  readonly fields: HeaderFields;
  readonly hasBody: boolean;
  readonly trailers?: () => HeaderFields;
}

export function http1Exchange(incoming: IncomingMessage, outgoing: ServerResponse): Exchange {
  // A stream that is destroyed has none.
  const { headers, socket } = incoming;
  const coding = headers['transfer-encoding'];
  const hasBody = coding !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const isCut = coding !== undefined && (coding.toLowerCase() !== 'chunked' || 'content-length' in headers);
  return {
    protocol: 'HTTP/1.1',
    method: incoming.method ?? '',
    authority: headers.host ?? '',
    target: incoming.url ?? '',
    fields: headers,
    ...connectionFactsOf(socket),
    ...(hasBody ? { body: incoming } : {}),
    problem: isCut
      ? 'transfer-encoding must be chunked, without content-length'
      : repeatedField(incoming.rawHeaders),
    respond({ status, fields, hasBody: willSend }) {
      // Otherwise a client whose body was refused could continue to send it for ever.
      if (!incoming.complete && hasBody) outgoing.shouldKeepAlive = false;
      outgoing.writeHead(status, { ...fields });
      if (willSend && incoming.method !== 'HEAD') return outgoing;
      outgoing.end();
      return undefined;
    },
    get isAnswered() {
      return outgoing.headersSent;
    },
    onClosed: (task) => void outgoing.once('close', task),
    abort: () => void socket.destroy(),
  };
}
