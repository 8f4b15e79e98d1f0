import type { Socket } from 'node:net';
import type { HeldBytes } from '@tinkerbell/platform-contract';
import { STALLED_MS } from './chunk-writer.ts';

interface Unsent {
  /** How many Node holds itself, as text or as a copy. */
  readonly bytes: number;
  readonly held: HeldBytes;
  readonly stalledMs?: number | undefined;
}

/**
 * The client of a short answer takes nothing. It is counted and cut off like that of a long one. Call the result when it has taken all, or is
 * gone.
 */
export function holdUnsent(socket: Socket, { bytes, held, stalledMs = STALLED_MS }: Unsent): () => void {
  const reader = held.reader(() => socket.destroy());
  const stalled = setTimeout(() => void socket.destroy(), stalledMs).unref();
  reader.holdSize(bytes);
  return () => {
    clearTimeout(stalled);
    reader.end();
  };
}
