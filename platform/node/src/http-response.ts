import type { IncomingMessage, ServerResponse } from 'node:http';
import { WholeResponse } from '@tinkerbell/platform-contract';
import { releaseChunk } from './owned-chunks.ts';

export async function sendResponse(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // An answer before the whole body came in: what is still to come must not be taken for the next request.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  if (response instanceof WholeResponse) {
    outgoing.writeHead(response.status, response.headerRecord);
    outgoing.end(incoming.method === 'HEAD' ? undefined : response.whole);
    return;
  }
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  if (response.body === null || incoming.method === 'HEAD') {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await sendBody(response.body, outgoing);
}

/** One chunk is read while the one before it is written; a written chunk's memory is given back at once. */
async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  let writing = Promise.resolve();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      await writing;
      if (done) break;
      writing = written(outgoing, value);
      // Awaited with the next chunk, or below; until then a failure is nobody's surprise.
      writing.catch(() => undefined);
    }
    outgoing.end();
  } catch (thrown) {
    await reader.cancel(thrown);
    throw thrown;
  }
}

function written(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(chunk, (error) => {
      releaseChunk(chunk);
      if (error) reject(error);
      else resolve();
    });
  });
}
