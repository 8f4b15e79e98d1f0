import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { PlainConnection, type PlainServing } from './plain-connection.ts';

/** The connections of a server that have sent only plain requests. */
export class PlainConnections {
  readonly #open = new Set<PlainConnection>();

  /** Takes new connections before Node does. `server` gets those with a request that is not plain. */
  constructor(server: Server, serving: PlainServing) {
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const connection = new PlainConnection(socket, serving, (bytes) => {
        this.#open.delete(connection);
        for (const listener of listeners) listener.call(server, socket);
        socket.emit('data', bytes);
      });
      this.#open.add(connection);
      socket.once('close', () => this.#open.delete(connection));
    });
  }

  closeIdle(): void {
    for (const connection of this.#open) if (connection.isIdle) connection.close();
  }

  closeAll(): void {
    for (const connection of this.#open) connection.close();
  }
}
