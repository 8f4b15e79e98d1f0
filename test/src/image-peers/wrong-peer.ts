/** An agent that promises every chunk of an image and sends something else. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { zstdCompressSync } from 'node:zlib';

const CHUNK_BYTES = 1024 * 1024;
const ASK_EVERY_MS = 500;
/** More than any image of these tests has. */
const CHUNKS = 4096;
const WRONG_CHUNK = zstdCompressSync(Buffer.alloc(CHUNK_BYTES, 7));

/** What it sends instead of a chunk. */
const WRONG_ANSWERS = {
  'other bytes': (response: ServerResponse) => void response.end(WRONG_CHUNK),
  'an end': (response: ServerResponse) => void response.destroy(),
  nothing: (_response: ServerResponse) => {},
  'a part': (response: ServerResponse) =>
    void response.writeHead(200, { 'content-length': WRONG_CHUNK.length }).write(WRONG_CHUNK.subarray(9)),
} as const;
export type WrongAnswer = keyof typeof WRONG_ANSWERS;

export interface WrongPeer extends AsyncDisposable {
  /** How often other agents asked it for a chunk. */
  asked(): number;
}

/** `address`: its own, which others see. Rejects when the server does not enter it. */
export async function startWrongPeer(
  imageUrl: string,
  { address, answer }: { readonly address: string; readonly answer: WrongAnswer },
): Promise<WrongPeer> {
  const manifest = Buffer.from(await (await fetch(imageUrl)).arrayBuffer());
  const image = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    WRONG_ANSWERS[answer](response);
  }).listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const body = JSON.stringify({ image, port, have: [[0, CHUNKS]], receivedBytes: 0 });
  const enter = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const url = new URL('/v1/registry/peers', imageUrl);
      const headers = { 'content-type': 'application/json' };
      const sent = request(url, { method: 'POST', headers, localAddress: address, agent: false }, (found) => {
        found.resume();
        resolve(found.statusCode ?? 0);
      });
      sent.on('error', reject).end(body);
    });
  const close = async (): Promise<void> => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  // A server that was killed is asked again later.
  const timer = setInterval(() => void enter().catch(() => {}), ASK_EVERY_MS);
  const status = await enter();
  if (status === 200) return { asked: () => asked, [Symbol.asyncDispose]: close };
  await close();
  throw new Error(`the server does not enter ${address}: ${status}`);
}
