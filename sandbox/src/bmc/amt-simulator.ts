/** A simulated Intel AMT: WS-Management over HTTP or HTTPS, and the serial console two ports above it. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server as TcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { AmtRedirection } from './amt-redirection.ts';
import { AmtService, type AmtServiceOptions } from './amt-service.ts';
import { bodyOf } from './request-body.ts';

export interface AmtSimulatorOptions extends AmtServiceOptions {
  /** Without it, the service speaks plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Default: a free port. */
  readonly port?: number;
}

const CONSOLE_PORT_AFTER = 2;

export class AmtSimulator implements AsyncDisposable {
  readonly service: AmtService;
  readonly #server: Server;
  readonly #consoles: TcpServer;
  readonly #sockets = new Set<Socket>();

  private constructor(options: AmtSimulatorOptions) {
    this.service = new AmtService(options);
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    const http = process.getBuiltinModule('node:http');
    const { tls, machine, username, password } = options;
    this.#server = tls === undefined ? http.createServer(listener) : createHttpsServer(tls, listener);
    const { lies } = this.service;
    const redirection = new AmtRedirection({
      account: { username, password },
      serial: machine.serial,
      lies,
    });
    const serve = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (this.service.offersConsole) redirection.serve(socket);
      else socket.destroy();
    };
    this.#consoles = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  }

  /** Listens on 127.0.0.1. */
  static async open(options: AmtSimulatorOptions): Promise<AmtSimulator> {
    for (;;) {
      const simulator = new AmtSimulator(options);
      await listening(simulator.#server, options.port ?? 0);
      const isWhole = await listening(simulator.#consoles, simulator.port + CONSOLE_PORT_AFTER).then(
        () => true,
        () => false,
      );
      if (isWhole) return simulator;
      await simulator[Symbol.asyncDispose]();
      if (options.port !== undefined) throw new Error(`port ${options.port + CONSOLE_PORT_AFTER} is in use`);
    }
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    this.#consoles.close();
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

async function listening(server: TcpServer, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, '127.0.0.1', resolve);
  await promise;
}
