import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  nextTurn,
  OWN_TURN_BYTES,
  StreamResponse,
  WholeResponse,
  type HeldBytes,
  type HeldFor,
} from '@tinkerbell/platform-contract';
import { ChunkWriter } from './chunk-writer.ts';
import { filePartOf } from './file-part.ts';
import { sendFilePart } from './file-sender.ts';
import { closeLingering } from './lingering-close.ts';
import { oneByteText } from './one-byte-text.ts';
import { releaseChunk } from './owned-chunks.ts';
import { turnShare } from './turn-share.ts';
import { holdUnsent } from './unsent-bytes.ts';

export interface SendResponseOptions {
  /** Memory of responses that clients have not taken yet. */
  readonly held: HeldBytes;
  readonly incoming: IncomingMessage;
  /** A client that takes nothing of its response for this long is cut off. */
  readonly stalledMs?: number | undefined;
}

/** Rejects when the client has disconnected, or was cut off because it takes nothing. */
export async function sendResponse(
  response: Response,
  outgoing: ServerResponse,
  options: SendResponseOptions,
): Promise<void> {
  const { incoming } = options;
  // The response is sent before the whole body arrived. The rest of the body must not be parsed as the next
  // request.
  if (!incoming.complete) {
    outgoing.setHeader('connection', 'close');
    closeLingering(incoming);
  }
  if (response instanceof WholeResponse) return sendWhole(response, outgoing, options);
  outgoing.statusCode = response.status;
  const isOwn = response instanceof StreamResponse;
  if (isOwn) outgoing.setHeaders(new Map(Object.entries(response.headerRecord)));
  else outgoing.setHeaders(response.headers);
  const body = isOwn ? response.stream : response.body;
  if (body === null || incoming.method === 'HEAD') {
    await body?.cancel();
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  const part = outgoing.hasHeader('content-length') ? filePartOf(body) : undefined;
  const reader = options.held.reader(() => incoming.socket.destroy());
  try {
    if (part === undefined) await sendBody(body, outgoing, { ...options, reader });
    else {
      await sendFilePart(outgoing, part, { ...options, reader });
      outgoing.end();
    }
  } finally {
    reader.end();
  }
}

/** Longer bodies are written in pieces, so that the client's progress is visible and nothing else waits for one of them. */
const PIECE_BYTES = 256 * 1024;

async function sendWhole(
  response: WholeResponse,
  outgoing: ServerResponse,
  options: SendResponseOptions,
): Promise<void> {
  const { status, headerRecord, whole } = response;
  if (whole.length > OWN_TURN_BYTES) await nextTurn();
  outgoing.writeHead(status, headerRecord);
  if (options.incoming.method === 'HEAD') outgoing.end();
  else if (whole.length <= PIECE_BYTES) sendShort(outgoing, response, options);
  else await sendLong(outgoing, whole, options);
}

function sendShort(
  outgoing: ServerResponse,
  response: WholeResponse,
  { incoming, held, stalledMs }: SendResponseOptions,
): void {
  const text = oneByteText(response);
  if (text === undefined) outgoing.end(response.whole);
  else outgoing.end(text, 'latin1');
  // The kernel has nearly always taken all of it by now.
  if (outgoing.writableLength > 0)
    outgoing.once('close', holdUnsent(incoming.socket, { bytes: outgoing.writableLength, held, stalledMs }));
}

async function sendLong(
  outgoing: ServerResponse,
  content: string | Uint8Array<ArrayBuffer>,
  { incoming, held, stalledMs }: SendResponseOptions,
): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const reader = held.reader(() => incoming.socket.destroy());
  try {
    reader.hold(bytes);
    using writer = new ChunkWriter(outgoing, stalledMs);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      await writer.write(bytes.subarray(at, at + PIECE_BYTES));
      reader.moved();
    }
    outgoing.end();
  } finally {
    reader.end();
  }
}

interface Sending extends SendResponseOptions {
  readonly reader: HeldFor;
}

/** Reads one chunk while the previous one is written. The memory of a written chunk is returned at once. */
async function sendBody(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  sending: Sending,
): Promise<void> {
  using writer = new ChunkWriter(outgoing, sending.stalledMs);
  const source = body.getReader();
  let writing = Promise.resolve();
  try {
    for (;;) {
      const { done, value } = await source.read();
      if (!done) sending.reader.hold(value);
      await writing;
      if (done) break;
      const pause = turnShare.enter();
      if (pause !== undefined) await pause;
      writing = sentAndReleased(writer, value, sending.reader);
      // Awaited with the next chunk, or below. Until then a failure must not count as unhandled.
      writing.catch(() => undefined);
    }
    outgoing.end();
  } catch (thrown) {
    await source.cancel(thrown);
    throw thrown;
  }
}

async function sentAndReleased(writer: ChunkWriter, chunk: Uint8Array, reader: HeldFor): Promise<void> {
  try {
    await writer.write(chunk);
  } finally {
    reader.release(chunk);
    releaseChunk(chunk);
  }
}
