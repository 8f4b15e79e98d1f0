/** The backend of the gateways for HTTP/1.1, with a small and a large answer. Argument: the port. */
import { createServer } from 'node:http';

/** More than the kernel keeps for a connection. */
const LARGE_BYTES = 16 * 1024 ** 2;
const PART = Buffer.alloc(64 * 1024);

const server = createServer((request, response) => {
  if (request.url !== '/large') return void response.end('in\n');
  response.writeHead(200, { 'content-length': String(LARGE_BYTES) });
  const send = (left: number): void => {
    if (left > 0) response.write(PART, (error) => error ?? send(left - PART.length));
    else response.end();
  };
  return send(LARGE_BYTES);
});
server.listen(Number(process.argv[2]), '127.0.0.1');
