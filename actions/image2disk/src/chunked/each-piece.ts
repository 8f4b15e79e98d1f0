import type { IncomingMessage } from 'node:http';
import { DroppedError } from '@tinkerbell/action-kit';

/**
 * Calls `take` for each piece of a body when it arrives, which costs less than an iteration. Rejects with what `take` throws, and when
 * the connection ends before the body.
 */
export function eachPiece(response: IncomingMessage, take: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('data', (piece: Buffer) => {
      try {
        take(piece);
      } catch (error) {
        reject(error);
        response.destroy();
      }
    });
    response.once('end', resolve).once('error', reject);
    response.once('close', () => reject(new DroppedError('the connection ended')));
  });
}
