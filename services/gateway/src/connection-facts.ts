import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The facts of a connection itself, independent of its requests. */
export interface ConnectionFacts {
  /** The client's address. */
  readonly peer: string;
  /** The server name of the TLS handshake in lower case, or empty without one. */
  readonly sni: string;
  readonly isTls: boolean;
}

const known = new WeakMap<Socket, ConnectionFacts>();

/**
 * Pass the socket that the port has accepted. A session of HTTP/2 exposes its socket through a proxy, which
 * forwards `in` and `instanceof` to the session.
 */
export function connectionFactsOf(socket: Socket): ConnectionFacts {
  let facts = known.get(socket);
  if (facts === undefined) known.set(socket, (facts = factsOf(socket)));
  return facts;
}

function factsOf(socket: Socket): ConnectionFacts {
  const isTls = socket instanceof TLSSocket;
  const sni = isTls ? socket.servername : undefined;
  return {
    peer: (socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    sni: typeof sni === 'string' ? sni.toLowerCase() : '',
    isTls,
  };
}
