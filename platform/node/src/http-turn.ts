import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Pipelined requests that wait for earlier ones on their connection. One listener serves all of them. */
const waiting = new WeakMap<Socket, Set<(hasTurn: boolean) => void>>();

/** Resolves when the earlier pipelined requests have been answered. Resolves with false when the connection ends before. */
export function hasTurn({ socket }: IncomingMessage, outgoing: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve(false);
    const turns = waiting.get(socket) ?? turnsOf(socket);
    turns.add(resolve);
    outgoing.once('socket', () => {
      turns.delete(resolve);
      resolve(true);
    });
  });
}

function turnsOf(socket: Socket): Set<(hasTurn: boolean) => void> {
  const turns = new Set<(hasTurn: boolean) => void>();
  waiting.set(socket, turns);
  socket.once('close', () => {
    // Each in a callback of its own, because one packet can hold hundreds of requests.
    for (const resolve of turns) setImmediate(resolve, false);
    turns.clear();
  });
  return turns;
}
