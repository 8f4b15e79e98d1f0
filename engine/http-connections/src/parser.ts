import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The parts of Node's parser of HTTP/1 that its types leave out. */
export interface Parser {
  /** The request that it reads. */
  readonly incoming: IncomingMessage | null;
  /** Creates a request. A negative result ends the parser with HPE_CB_HEADERS_COMPLETE. */
  onIncoming: (incoming: IncomingMessage, shouldKeepAlive: boolean) => number;
  /** Continues after HPE_PAUSED. */
  resume(): void;
}

/** Undefined for a TLS connection that is not encrypted yet. */
export function parserOf(socket: Duplex): Parser | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
  return (socket as { readonly parser?: Parser }).parser;
}
