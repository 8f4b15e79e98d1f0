/** A web server with one ISO image whose behaviour a test chooses, and images with the magic in awkward places. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ISO_MAGIC } from '@tinkerbell/netboot';

/** Slightly more than 3 MiB: the magic at the start, across a border of 1 MiB, twice in a row, and at the very end. */
export function magicImage(fill = 0xee): Uint8Array<ArrayBuffer> {
  const image = new Uint8Array(3 * 1024 * 1024 + 777).map((_, index) => (index * 31 + fill) % 251);
  const magic = new TextEncoder().encode(ISO_MAGIC);
  for (const at of [0, 1024 * 1024 - 500, 2_000_000, 2_001_024, image.length - magic.length])
    image.set(magic, at);
  return image;
}

export function patchedImage(image: Uint8Array, text: string): Buffer {
  const latin1 = Buffer.from(image).toString('latin1');
  return Buffer.from(latin1.replaceAll(ISO_MAGIC, text.padEnd(ISO_MAGIC.length)), 'latin1');
}

export interface IsoWebServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly IncomingMessage[];
  /** The next response. It starts as the image with an ETag. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

export async function startIsoSource(image: Uint8Array, etag = '"v1"'): Promise<IsoWebServer> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    source.answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const source: IsoWebServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook.iso`,
    asked,
    answer: (request, response) => sendImage(request, response, { image, etag }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return source;
}

export function sendImage(
  request: IncomingMessage,
  response: ServerResponse,
  { image, etag }: { readonly image: Uint8Array; readonly etag: string },
): void {
  if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
  else response.writeHead(200, { etag, 'content-length': image.length }).end(image);
}
