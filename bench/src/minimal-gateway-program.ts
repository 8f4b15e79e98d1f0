/**
 * The floor of a gateway on Node. For gRPC it decrypts TLS and passes the bytes on, over one connection for each client: it reads no frames, and
 * checks no token. For HTTP it passes requests and bodies on with `node:http`. Arguments: certificate file, key file, the ports to listen on for
 * gRPC and HTTP, and those of the upstream.
 */
import { readFileSync } from 'node:fs';
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const HOST = '127.0.0.1';
const [certificate = '', key = '', ...ports] = process.argv.slice(2);
const [grpcPort, httpPort, upstreamGrpc = 0, upstreamHttp = 0] = ports.map(Number);

const options = {
  cert: readFileSync(certificate),
  key: readFileSync(key),
  minVersion: 'TLSv1.3',
  noDelay: true,
} as const;
const grpc = createTlsServer({ ...options, ALPNProtocols: ['h2'] }, (client) => {
  const upstream = connect({ host: HOST, port: upstreamGrpc, noDelay: true });
  pass(client, upstream);
  pass(upstream, client);
});

function pass(from: Socket, to: Socket): void {
  from.on('data', (bytes: Buffer) => {
    if (!to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
}

const agent = new Agent({ keepAlive: true });
const http = createHttpServer((asked, response) => {
  const { method, url: path, headers } = asked;
  const forwarded = request(
    { host: HOST, port: upstreamHttp, method, path, headers, agent },
    (answer) => void answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)),
  );
  forwarded.on('error', () => response.destroy());
  asked.pipe(forwarded);
});

grpc.listen(grpcPort, HOST);
http.listen(httpPort, HOST);
