/**
 * The backend of the gateways: gRPC that answers at once over h2c, and HTTP/1.1 with a small and a large
 * answer. Arguments: both ports.
 */
import { createServer } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';

const [grpcPort, httpPort] = process.argv.slice(2).map(Number);
/** More than the kernel keeps for a connection. */
const LARGE_BYTES = 16 * 1024 ** 2;
const PART = Buffer.alloc(64 * 1024);

const grpc = createHttp2();
grpc.on('stream', (one) => {
  const stream = one as ServerHttp2Stream;
  stream.on('error', () => undefined);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.pipe(stream);
});
grpc.listen(grpcPort, '127.0.0.1');

const http = createServer((request, response) => {
  if (request.url !== '/large') return void response.end('in\n');
  response.writeHead(200, { 'content-length': String(LARGE_BYTES) });
  const send = (left: number): void => {
    if (left > 0) response.write(PART, (error) => error ?? send(left - PART.length));
    else response.end();
  };
  return send(LARGE_BYTES);
});
http.listen(httpPort, '127.0.0.1');
