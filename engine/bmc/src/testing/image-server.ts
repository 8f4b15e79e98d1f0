/** A web server with one image, which answers ranges. */
import { createServer, type Server } from 'node:http';

export class ImageServer implements AsyncDisposable {
  image: Uint8Array;
  tag = '"1"';
  /** Answers with this status instead. */
  status: number | undefined;
  /** Holds every answer. */
  stalls = false;
  /** Sends the whole image. */
  ignoresRanges = false;
  /** Breaks this many answers in the middle. */
  breaks = 0;
  /** The ranges of the requests. */
  readonly ranges: string[] = [];
  readonly #server: Server;

  private constructor(image: Uint8Array) {
    this.image = image;
    this.#server = createServer((request, response) => {
      const { range = '' } = request.headers;
      this.ranges.push(range);
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
      if (this.stalls) return;
      if (this.status !== undefined) return void response.writeHead(this.status).end();
      if (this.ignoresRanges) return void response.writeHead(200, { ETag: this.tag }).end(this.image);
      const [start, end] = [Number(first), Math.min(Number(last), this.image.length - 1)];
      const part = this.image.subarray(start, end + 1);
      response.writeHead(206, {
        ETag: this.tag,
        'Content-Range': `bytes ${start}-${end}/${this.image.length}`,
        'Content-Length': part.length,
      });
      if (this.breaks === 0 || part.length === 1) return void response.end(part);
      this.breaks -= 1;
      response.write(part.subarray(0, part.length / 2), () => response.destroy());
    });
  }

  static async open(image: Uint8Array): Promise<ImageServer> {
    const server = new ImageServer(image);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/a.iso`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

/** Bytes that differ from block to block. */
export function imageOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 11)) & 0xff);
}
