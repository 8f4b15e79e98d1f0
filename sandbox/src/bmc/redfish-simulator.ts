/** A simulated Redfish service over HTTP or HTTPS. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { bodyOf } from './request-body.ts';
import type { RedfishLies } from './redfish-lies.ts';
import { RedfishService, type RedfishServiceOptions } from './redfish-service.ts';

export interface RedfishSimulatorOptions extends RedfishServiceOptions {
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Without it, the service speaks plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export class RedfishSimulator implements AsyncDisposable {
  readonly #service: RedfishService;
  readonly #server: Server;

  private constructor(options: RedfishSimulatorOptions) {
    this.#service = new RedfishService(options);
    const { tls } = options;
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    const http = process.getBuiltinModule('node:http');
    this.#server = tls === undefined ? http.createServer(listener) : createTlsServer(tls, listener);
  }

  /** May be changed at any time. */
  get lies(): RedfishLies {
    return this.#service.lies;
  }

  /** Each request, as `GET /redfish/v1/`. */
  get requests(): readonly string[] {
    return this.#service.requests;
  }

  /** Tokens of the open sessions, by path. */
  get sessions(): ReadonlyMap<string, string> {
    return this.#service.sessions;
  }

  static async open(options: RedfishSimulatorOptions): Promise<RedfishSimulator> {
    const simulator = new RedfishSimulator(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    simulator.#server
      .once('error', reject)
      .listen(options.port ?? 0, options.address ?? '127.0.0.1', resolve);
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
    const { stalls, closes } = this.lies;
    if (stalls === true) return;
    if (closes?.method === method && closes.times > 0) {
      closes.times -= 1;
      request.socket.destroy();
      return;
    }
    const {
      status,
      fields,
      text,
      headers: more,
    } = await this.#service.respond({
      method,
      target,
      body,
      headers,
    });
    const content = text ?? (fields === undefined ? '' : JSON.stringify(fields));
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'OData-Version': '4.0', ...more })
      .end(content);
  }
}
