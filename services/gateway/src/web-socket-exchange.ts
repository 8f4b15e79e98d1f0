/** A request for a WebSocket, RFC 6455 section 4. It is decided like any other request. */
import type { IncomingMessage } from 'node:http';
import { http1Exchange, type Exchange } from './exchange.ts';
import type { HeaderFields } from './header-fields.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** `head` is what the client has sent after the request. */
export function webSocketExchange(incoming: IncomingMessage, head: Buffer): Exchange {
  const { socket, headers } = incoming;
  const outgoing = new nodeHttp.ServerResponse(incoming);
  outgoing.assignSocket(socket);
  // What follows was meant for a WebSocket, and is not another request.
  outgoing.shouldKeepAlive = false;
  outgoing.once('finish', () => socket.destroySoon());
  const exchange = http1Exchange(incoming, outgoing);
  const hasBody = 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
  return {
    ...exchange,
    body: undefined,
    problem: hasBody ? 'a request for a WebSocket has no body' : exchange.problem,
    get isAnswered() {
      return outgoing.headersSent;
    },
    onClosed: (task) => void socket.once('close', task),
    acceptWebSocket(fields) {
      outgoing.detachSocket(socket);
      socket.unshift(head);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${linesOf(fields)}\r\n`, 'latin1');
      return socket;
    },
  };
}

/** Values come from a parsed answer or the route file, which have no line breaks. */
function linesOf(fields: HeaderFields): string {
  const all: HeaderFields = { ...fields, connection: 'Upgrade', upgrade: 'websocket' };
  return Object.entries(all)
    .flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}\r\n`))
    .join('');
}
