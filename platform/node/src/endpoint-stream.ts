/** A TCP or TLS connection to one endpoint, whose certificate is checked before anything is sent. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import {
  EndpointError,
  messageOf,
  type EndpointStream,
  type EndpointStreamOptions,
} from '@tinkerbell/platform-contract';
import { certificateSha256Of, failureOf, problemOf, verificationBy } from './endpoint-trust.ts';

export async function openNodeEndpointStream(options: EndpointStreamOptions): Promise<EndpointStream> {
  const { host, port, tls, timeoutMs } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  const plain = connect({ host, port, noDelay: true });
  // A failure is reported by whoever waits. Later ones end the input.
  plain.on('error', () => undefined);
  let isConnected = false;
  try {
    await once(plain, 'connect', { signal });
    isConnected = true;
    const socket = tls === undefined ? plain : await secured(plain, { host, tls, signal });
    return new NodeEndpointStream(socket, `${host}:${port}`);
  } catch (thrown) {
    plain.destroy();
    const isOver = timeout.aborted;
    const code = failureOf(thrown, { isOver, isConnected, isAborted: options.signal?.aborted === true });
    const why = isOver ? `no connection within ${timeoutMs} ms` : messageOf(thrown);
    throw new EndpointError(code, `${host}:${port}: ${why}`, { cause: thrown });
  }
}

async function secured(
  plain: Socket,
  {
    host,
    tls,
    signal,
  }: Required<Pick<EndpointStreamOptions, 'host'>> & {
    readonly tls: NonNullable<EndpointStreamOptions['tls']>;
    readonly signal: AbortSignal;
  },
): Promise<TLSSocket> {
  const socket = connectTls({ socket: plain, host, ...verificationBy(tls) });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect', { signal });
  const problem = problemOf(certificateSha256Of(socket), tls);
  if (problem !== undefined) throw problem;
  return socket;
}

class NodeEndpointStream implements EndpointStream {
  readonly input: AsyncIterable<Uint8Array>;
  readonly #socket: Socket;
  readonly #name: string;
  #isClosed = false;

  constructor(socket: Socket, name: string) {
    this.#socket = socket;
    this.#name = name;
    this.input = this.#read();
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => {
        if (error) reject(this.#broken(error));
        else resolve();
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#socket.destroySoon();
    await Promise.resolve();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#socket as AsyncIterable<Uint8Array>) yield chunk;
    } catch (thrown) {
      if (!this.#isClosed) throw this.#broken(thrown);
    }
  }

  #broken(thrown: unknown): EndpointError {
    return new EndpointError('broken', `${this.#name}: ${messageOf(thrown)}`, { cause: thrown });
  }
}
