/**
 * Answers every request for a range over TLS 1.3 with that part of one file, and does only what cannot be left out: it reads, encrypts
 * and sends. It reads on the event loop, and does not notice clients that take nothing. Arguments: certificate file, key file, file.
 * Prints its URL.
 */
import { openSync, readFileSync, readSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';

/** One for all clients, which stays in the processor's caches. Node encrypts what it is given in that call. */
const chunk = Buffer.alloc(256 * 1024);
const [certificate = '', key = '', path = ''] = process.argv.slice(2);
const file = openSync(path, 'r');

function answer(socket: TLSSocket, request: string): void {
  const [, first, last] = /^Range: bytes=(\d+)-(\d+)\r$/im.exec(request) ?? [];
  let at = Number(first);
  const end = Number(last) + 1;
  const range = `Content-Range: bytes ${first}-${last}/*\r\nContent-Length: ${end - at}\r\n`;
  socket.write(`HTTP/1.1 206 Partial Content\r\n${range}\r\n`);
  const send = (): void => {
    if (at === end) return;
    const length = readSync(file, chunk, 0, Math.min(chunk.length, end - at), at);
    at += length;
    socket.write(chunk.subarray(0, length), send);
  };
  send();
}

const options = { cert: readFileSync(certificate), key: readFileSync(key), minVersion: 'TLSv1.3' } as const;
const server = createServer(options, (socket) => {
  socket.on('data', (request) => answer(socket, request.toString('latin1'))).on('error', () => {});
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`https://localhost:${port}\n`);
});
