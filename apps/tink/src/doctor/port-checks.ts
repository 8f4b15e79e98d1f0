/** Connects to the ports of the server as machines do, from this host. */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Check } from '@tinkerbell/diagnosis';
import { encodeTftp } from '@tinkerbell/tftp';

const TIMEOUT_MS = 3_000;
const TFTP_PORT = 69;
const READ_REQUEST = encodeTftp({
  kind: 'read-request',
  fileName: 'tink-doctor-check',
  mode: 'octet',
  options: [],
});

export interface ServerPorts {
  readonly host: string;
  readonly http: number;
  readonly grpc: number;
  readonly tftp?: number;
}

export async function checkPorts({
  host,
  http,
  grpc,
  tftp = TFTP_PORT,
}: ServerPorts): Promise<readonly Check[]> {
  const results = [
    ['HTTP', `tcp/${http}`, tryTcp(host, http)],
    ['gRPC', `tcp/${grpc}`, tryTcp(host, grpc)],
    ['TFTP', `udp/${tftp}`, tryTftp(host, tftp)],
  ] as const;
  return Promise.all(
    results.map(async ([name, port, trial]): Promise<Check> => {
      const error = await trial;
      const what = `${name}, ${port} of ${host}`;
      if (error === undefined) return { check: 'ports', state: 'ok', message: `${what} answers this host` };
      return { check: 'ports', state: 'failed', message: `${what} does not answer this host: ${error}` };
    }),
  );
}

/** Resolves with why there is no connection, or with undefined. */
function tryTcp(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({ host, port });
  socket.setTimeout(TIMEOUT_MS, () => resolve(`nothing within ${TIMEOUT_MS / 1000} s`));
  socket.once('connect', () => resolve(undefined));
  socket.once('error', ({ message }) => resolve(message));
  return promise.finally(() => socket.destroy());
}

/** Asks for a file that does not exist: each answer shows that the request has arrived. */
function tryTftp(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = createSocket('udp4');
  const timer = setTimeout(() => resolve(`nothing within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
  socket.once('message', () => resolve(undefined));
  socket.once('error', ({ message }) => resolve(message));
  socket.send(READ_REQUEST, port, host);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}
