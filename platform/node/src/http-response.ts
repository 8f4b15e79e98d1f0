import type { IncomingMessage, ServerResponse } from 'node:http';
import { WholeResponse } from '@tinkerbell/platform-contract';
import { filePartOf } from './file-part.ts';
import { sendFilePart } from './file-sender.ts';
import { releaseChunk } from './owned-chunks.ts';
import { written } from './written.ts';

export async function sendResponse(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stalledMs?: number,
): Promise<void> {
  // An answer before the whole body came in: what is still to come must not be taken for the next request.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  if (response instanceof WholeResponse) {
    outgoing.writeHead(response.status, response.headerRecord);
    if (incoming.method === 'HEAD') outgoing.end();
    else endWith(outgoing, response.whole);
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
  const part = outgoing.hasHeader('content-length') ? filePartOf(response.body) : undefined;
  if (part === undefined) return sendBody(response.body, outgoing, stalledMs);
  await sendFilePart(outgoing, part, { stalledMs });
  outgoing.end();
}

/** Up to here it is cheaper to copy bytes than to hand two pieces of memory to the kernel. */
const COPIED_BYTES_MAX = 16 * 1024;

/** Node sends a string together with the head, in one piece, and in Latin-1 each character is a byte. */
function endWith(outgoing: ServerResponse, content: string | Uint8Array<ArrayBuffer>): void {
  if (typeof content === 'string' || content.length > COPIED_BYTES_MAX) outgoing.end(content);
  else {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
    outgoing.end(bytes.toString('latin1'), 'latin1');
  }
}

/** One chunk is read while the one before it is written; a written chunk's memory is given back at once. */
async function sendBody(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  stalledMs: number | undefined,
): Promise<void> {
  const reader = body.getReader();
  let writing = Promise.resolve();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      await writing;
      if (done) break;
      writing = sentAndReleased(outgoing, value, stalledMs);
      // Awaited with the next chunk, or below; until then a failure is nobody's surprise.
      writing.catch(() => undefined);
    }
    outgoing.end();
  } catch (thrown) {
    await reader.cancel(thrown);
    throw thrown;
  }
}

async function sentAndReleased(
  outgoing: ServerResponse,
  chunk: Uint8Array,
  stalledMs: number | undefined,
): Promise<void> {
  try {
    await written(outgoing, chunk, stalledMs);
  } finally {
    releaseChunk(chunk);
  }
}
