import type { Duplex } from 'node:stream';
import { destroyAfter } from './destroy-after.ts';

/** Errors of Node's parser, with the statuses of RFC 9110 and RFC 6585. */
const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The time that a client has to take the answer. */
const LINGER_MS = 2000;

/** Answers what Node's parser did not understand, and ends the connection. */
export function refuseMalformed({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || isAnswering(socket)) return void socket.destroy();
  const status = STATUSES[code] ?? '400 Bad Request';
  // A client that still sends would not see the answer if the connection were reset at once.
  destroyAfter(socket, LINGER_MS);
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** True when a response has begun, within which the client would read another one. */
function isAnswering(socket: Duplex): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's types leave it out.
  const { _httpMessage: current } = socket as {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  return current?.headersSent === true;
}
