/** A simulated Intel AMT: WS-Management over HTTP or HTTPS, and its sessions two ports above it. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server as TcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { AmtDriveSession } from './amt-drive-session.ts';
import { AmtRedirection } from './amt-redirection.ts';
import { AmtService, type AmtServiceOptions } from './amt-service.ts';
import { bodyOf } from './request-body.ts';

export interface AmtSimulatorOptions extends AmtServiceOptions {
  /** Without it, the service speaks plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Default: a free port. */
  readonly port?: number;
}

const SESSION_PORT_AFTER = 2;

export class AmtSimulator implements AsyncDisposable {
  readonly service: AmtService;
  readonly #server: Server;
  readonly #sessions: TcpServer;
  readonly #redirection: AmtRedirection;
  readonly #sockets = new Set<Socket>();

  private constructor(options: AmtSimulatorOptions) {
    this.service = new AmtService(options);
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    const http = process.getBuiltinModule('node:http');
    const { tls, machine, username, password } = options;
    this.#server = tls === undefined ? http.createServer(listener) : createHttpsServer(tls, listener);
    const { service } = this;
    this.#redirection = new AmtRedirection({
      account: { username, password },
      machine,
      lies: service.lies,
      offers: (kind) => service.offers(kind),
    });
    const serve = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (service.offers('sol') || service.offers('ider')) this.#redirection.serve(socket);
      else socket.destroy();
    };
    this.#sessions = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  }

  static async open(options: AmtSimulatorOptions): Promise<AmtSimulator> {
    for (;;) {
      const simulator = new AmtSimulator(options);
      const { address = '127.0.0.1', port = 0 } = options;
      await listening(simulator.#server, port, address);
      const isWhole = await listening(simulator.#sessions, simulator.port + SESSION_PORT_AFTER, address).then(
        () => true,
        () => false,
      );
      if (isWhole) return simulator;
      await simulator[Symbol.asyncDispose]();
      if (options.port !== undefined) throw new Error(`port ${options.port + SESSION_PORT_AFTER} is in use`);
    }
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** The session that has the drive. */
  get drive(): AmtDriveSession | undefined {
    return this.#redirection.drive;
  }

  /** Breaks the connections of all sessions. */
  breakSessions(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    this.breakSessions();
    this.#sessions.close();
    await promise;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/', headers } = request;
    const body = await bodyOf(request);
    if (this.service.lies.stalls === true) return;
    const answer = await this.service.respond({ method, target, headers, body });
    response
      .writeHead(answer.status, { 'Content-Type': 'application/soap+xml; charset=UTF-8', ...answer.headers })
      .end(answer.text);
  }
}

async function listening(server: TcpServer, port: number, address: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, address, resolve);
  await promise;
}
