/** A simulated Intel AMT over HTTP or HTTPS. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { AmtService, type AmtServiceOptions } from './amt-service.ts';
import { bodyOf } from './request-body.ts';

export interface AmtSimulatorOptions extends AmtServiceOptions {
  /** Without it, the service speaks plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Default: a free port. */
  readonly port?: number;
}

export class AmtSimulator implements AsyncDisposable {
  readonly service: AmtService;
  readonly #server: Server;

  private constructor(options: AmtSimulatorOptions) {
    this.service = new AmtService(options);
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    const http = process.getBuiltinModule('node:http');
    this.#server =
      options.tls === undefined ? http.createServer(listener) : createTlsServer(options.tls, listener);
  }

  /** Listens on 127.0.0.1. */
  static async open(options: AmtSimulatorOptions): Promise<AmtSimulator> {
    const simulator = new AmtSimulator(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    simulator.#server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
    await promise;
    return simulator;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
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
