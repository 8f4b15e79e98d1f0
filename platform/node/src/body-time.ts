/** Limits the time that a client may take for the body of its request. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface BodyTimes {
  /** The time for a whole body. */
  readonly wholeMs: number;
  /** The time in which some byte of a long body must arrive. */
  readonly idleMs: number;
}

export const BODY_TIMES: BodyTimes = { wholeMs: 30_000, idleMs: 120_000 };

/**
 * Answers 408 and closes the connection when the body has not arrived in time. Returns the function that lifts the limit for a long
 * body: from then on it may take as long as bytes arrive.
 */
export function limitBodyTime(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { wholeMs, idleMs }: BodyTimes = BODY_TIMES,
): () => void {
  if (!hasBody(incoming)) return () => undefined;
  let timer = setTimeout(giveUp, wholeMs).unref();
  let isLong = false;
  let seenBytes = 0;
  const end = (): void => clearTimeout(timer);
  // After the end of the body it finds that nothing is left to do.
  outgoing.once('close', end);
  return () => {
    if (isLong) return;
    isLong = true;
    end();
    watch();
  };

  function watch(): void {
    if (incoming.complete || outgoing.closed) return;
    seenBytes = incoming.socket.bytesRead;
    timer = setTimeout(() => (incoming.socket.bytesRead > seenBytes ? watch() : giveUp()), idleMs).unref();
  }

  function giveUp(): void {
    if (incoming.complete || outgoing.closed) return;
    if (!outgoing.headersSent)
      incoming.socket.write('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    incoming.socket.destroySoon();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
