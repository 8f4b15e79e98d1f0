/** Gets what actions send: the form of slurp, which upstream's server gets at port 3000, and the JSON of inventory. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Upload {
  readonly path: string;
  /** Of a form, the file in it. */
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The start of the content. */
  readonly start: string;
}

export interface Uploads {
  readonly received: readonly Upload[];
  close(): Promise<void>;
}

export const UPLOAD_PORT = 3000;
const START_BYTES = 4 * 1024 * 1024;

export async function startUploads(address: string): Promise<Uploads> {
  const received: Upload[] = [];
  const server = createServer((request, response) => {
    uploadIn(request).then(
      (upload) => {
        received.push(upload);
        response.end('ok');
      },
      (error: unknown) => response.writeHead(400).end(String(error)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(UPLOAD_PORT, address, resolve);
  });
  return {
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function uploadIn(request: IncomingMessage): Promise<Upload> {
  const { content, fileName } = contentOf(await buffer(request), request.headers['content-type'] ?? '');
  return {
    path: request.url ?? '',
    fileName,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    start: content.toString('utf8', 0, START_BYTES),
  };
}

/** A form has one file (RFC 7578). */
function contentOf(body: Buffer, type: string): { readonly content: Buffer; readonly fileName: string } {
  const boundary = /boundary=(\S+)/.exec(type)?.[1];
  if (boundary === undefined) return { content: body, fileName: '' };
  const from = body.indexOf('\r\n\r\n');
  const to = body.lastIndexOf(`\r\n--${boundary}--`);
  if (from < 0 || to < from) throw new Error('the form is not whole');
  const head = body.toString('latin1', 0, from);
  if (!head.includes('name="BootyImage"')) throw new Error(`the form has no BootyImage: ${head}`);
  return { content: body.subarray(from + 4, to), fileName: /filename="([^"]*)"/.exec(head)?.[1] ?? '' };
}
