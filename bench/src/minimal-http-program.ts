/** Answers every request with the same text, of as many bytes as the argument says. Prints its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const text = Buffer.alloc(Number(process.argv[2]), '#');
const headers = { 'Content-Type': 'text/plain', 'Content-Length': text.length };
const server = createServer((_, response) => response.writeHead(200, headers).end(text));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
